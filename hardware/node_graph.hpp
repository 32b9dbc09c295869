#pragma once

// Reads the links of one machine: vertices by kind, and rows that join sets of them.

#include <string>
#include <vector>

#include "hardware/node.hpp"

namespace stepcast::hardware {

/// Reads `graph:` of a system file.
void read_graph(const Reader& r, const Catalog& catalog, NodeGraph& graph);

/// The vertices that `r` names: "gpu3", "gpu[0-7]" or a list of such, none twice. `graph` says which there
/// are.
std::vector<Vertex> read_vertices(const Reader& r, const NodeGraph& graph);

/// All vertices of a kind.
std::vector<Vertex> all_vertices(const NodeGraph& graph, VertexKind kind);

/// Loads a link into the graph's table, where it is not there yet; its id, or empty after a problem at `at`.
std::string use_link(const Reader& at, const std::string& name, const Catalog& catalog, NodeGraph& graph);

/// Spreads NICs over `parents` in equal consecutive blocks.
void attach_nics(const std::vector<Vertex>& parents, const std::string& link, int count, NodeGraph& graph);

/// What is wrong with the graph as a whole: pairs joined twice by one link type, parts that nothing joins to
/// gpu0.
void check_graph(const Reader& at, const NodeGraph& graph);

}  // namespace stepcast::hardware
