#include <array>

#include "tools/cli/commands.hpp"
#include "tools/cli/verb.hpp"

namespace stepcast::tools {
namespace {

constexpr std::string_view kHardwareGroup = "What is the hardware?";
constexpr std::string_view kCatalogGroup = "What does Stepcast know?";
constexpr std::string_view kProgramGroup = "About the program";

constexpr std::array<std::string_view, 3> kTable = {"text", "json", "csv"};
constexpr std::array<std::string_view, 2> kTextOrJson = {"text", "json"};
constexpr std::array<std::string_view, 1> kText = {"text"};
constexpr std::array<std::string_view, 3> kGraph = {"text", "json", "dot"};

constexpr std::array<std::string_view, 3> kListExamples = {
    "stepcast list                        # the kinds and how many there are",
    "stepcast list gpu                    # all GPUs with memory, peak, links",
    "stepcast list system --format csv    # for a script"};
constexpr std::array<std::string_view, 4> kShowExamples = {
    "stepcast show gpu a100_sxm4_80gb         # each number with its source and date",
    "stepcast show system dgx_a100_80gb       # the machine and its links",
    "stepcast show price h100                 # what it costs to buy and to rent",
    "stepcast show system ./my_server.yaml    # a file of your own, checked"};
constexpr std::array<std::string_view, 6> kTopologyExamples = {
    "stepcast topology dgx_a100_80gb                  # levels as nvidia-smi prints them, GB/s of each pair",
    "stepcast topology dgx_h100 --nodes 4 --path 0 9  # one way through it, and its narrowest part",
    "stepcast topology pcie_8x_rtx4090 --path 0 7     # no peer access: through host memory",
    "stepcast topology dgx_h100 --set 'cluster.overrides=[{link: nvlink, node: 0, scale: 0.3}]'",
    "stepcast topology --set 'cluster.groups=[{system: dgx_a100, nodes: 2}, {system: dgx_h100, nodes: 2}]'",
    "stepcast topology dgx1_v100 --format dot | dot -Tsvg >dgx1.svg"};
constexpr std::array kTopologyOptions = {
    Option{"nodes", "N", "so many of these machines, on their fabric"},
    Option{"path", "FROM TO", "the way from one GPU to another (ranks from 0)"},
    Option{"set", "KEY=VALUE", "change the cluster, as in cluster.fabric=ib_ndr; may be repeated"}};
constexpr std::array<std::string_view, 2> kHelpExamples = {"stepcast help", "stepcast help show"};
constexpr std::array<std::string_view, 1> kVersionExamples = {"stepcast version --format json"};
constexpr std::array<std::string_view, 3> kCompletionExamples = {"source <(stepcast completion bash)",
                                                                 "source <(stepcast completion zsh)",
                                                                 "stepcast completion fish | source"};

constexpr std::array kCommon = {
    Option{"catalog", "DIR",
           "a catalogue of your own, searched first; may be repeated (also STEPCAST_CATALOG)"},
    Option{"format", "FORMAT", ""},
    Option{"output", "FILE", "write the result there instead of to standard output"},
    Option{"help", "", "this text"}};

constexpr std::array kVerbs = {
    Verb{"topology", kHardwareGroup, "What is joined by what, and how fast?", "[SYSTEM]", 0, 1,
         kTopologyExamples, kGraph, kTopologyOptions, run_topology},
    Verb{"list",
         kCatalogGroup,
         "What does the catalogue hold?",
         "[KIND]",
         0,
         1,
         kListExamples,
         kTable,
         {},
         run_list},
    Verb{"show",
         kCatalogGroup,
         "What is known of one thing, and from where?",
         "KIND NAME",
         2,
         2,
         kShowExamples,
         kTable,
         {},
         run_show},
    Verb{"help", kProgramGroup, "What can it do?", "[VERB]", 0, 1, kHelpExamples, kText, {}, run_help},
    Verb{"version",
         kProgramGroup,
         "Which build is this?",
         "",
         0,
         0,
         kVersionExamples,
         kTextOrJson,
         {},
         run_version},
    Verb{"completion",
         kProgramGroup,
         "How does my shell complete its words?",
         "bash|zsh|fish",
         1,
         1,
         kCompletionExamples,
         kText,
         {},
         run_completion}};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }
std::span<const Option> common_options() { return kCommon; }

}  // namespace stepcast::tools
