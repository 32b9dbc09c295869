#include "base/yaml.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace stepcast {
inline namespace base {
namespace {

using Kind = YamlNode::Kind;

/// Ends the parse early; the problem is already recorded.
struct StopParsing {};

struct Size {
  std::size_t nodes = 0;
  std::size_t bytes = 0;
};

void add_size(const YamlNode& node, Size& size) {
  ++size.nodes;
  size.bytes += node.scalar.size();
  for (const YamlNode& item : node.items) add_size(item, size);
  for (const YamlEntry& entry : node.entries) {
    add_size(entry.key, size);
    add_size(entry.value, size);
  }
}

/// Builds the tree from yaml-cpp's events. A map collects keys and values alternately in `items` of its
/// frame.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view file, Diagnostics& problems)
      : file_(std::make_shared<const std::string>(file)), problems_(problems) {}

  std::optional<YamlNode> take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      stop(mark, "a second document begins here", "keep one document per file");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { put(make(Kind::null, mark), anchor); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    YamlNode node = make(Kind::scalar, mark);
    node.quoted = tag == "!";
    node.scalar = value;
    if (!node.quoted && (value == "~" || value == "null")) {
      node.kind = Kind::null;
      node.scalar.clear();
    }
    put(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(Kind::sequence, mark, tag, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(Kind::map, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      stop(mark, "an alias inside the value that it names", "write the value out");
    }
    add_size(found->second, aliased_);
    if (aliased_.nodes > kMaxAliasedNodes || aliased_.bytes > kMaxAliasedBytes) {
      stop(mark,
           fmt::format("aliases expand to more than {} values or {} MiB", kMaxAliasedNodes,
                       kMaxAliasedBytes >> 20),
           "write the values out or split the file");
    }
    YamlNode copy = found->second;
    if (depth_of(copy) + open_.size() > kMaxYamlDepth) too_deep(mark);
    put(std::move(copy), 0);
  }

 private:
  struct Frame {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    std::optional<YamlNode> key;           // of a map: read, its value still to come
    std::unordered_set<std::string> keys;  // of a map: for duplicates
  };

  YamlNode make(Kind kind, const YAML::Mark& mark) const {
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    node.file = file_;
    return node;
  }

  void add(const YamlNode& at, std::string message, std::string hint) {
    problems_.add({Severity::error, at.where(), {}, std::move(message), std::move(hint)});
  }

  [[noreturn]] void stop(const YAML::Mark& mark, std::string message, std::string hint) {
    add(make(Kind::null, mark), std::move(message), std::move(hint));
    throw StopParsing{};
  }

  [[noreturn]] void too_deep(const YAML::Mark& mark) {
    stop(mark, fmt::format("nested more than {} levels deep", kMaxYamlDepth), "flatten the file");
  }

  static std::size_t depth_of(const YamlNode& node) {
    std::size_t depth = 0;
    for (const YamlNode& item : node.items) depth = std::max(depth, depth_of(item));
    for (const YamlEntry& entry : node.entries) depth = std::max(depth, depth_of(entry.value));
    return depth + 1;
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    add(make(Kind::null, mark), fmt::format("tag '{}' is not supported", tag), "remove the tag");
  }

  void open(Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    check_tag(mark, tag);
    if (open_.size() >= kMaxYamlDepth) too_deep(mark);
    open_.push_back({make(kind, mark), anchor, std::nullopt, {}});
  }

  void close() {
    Frame frame = std::move(open_.back());
    open_.pop_back();
    put(std::move(frame.node), frame.anchor);
  }

  void put(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = node;
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = open_.back();
    if (frame.node.kind == Kind::sequence) {
      frame.node.items.push_back(std::move(node));
    } else if (!frame.key) {
      check_key(frame, node);
      frame.key = std::move(node);
    } else {
      const bool usable = frame.key->kind == Kind::scalar && !is_merge(*frame.key);
      if (usable) frame.node.entries.push_back({*std::move(frame.key), std::move(node)});
      frame.key.reset();
    }
  }

  static bool is_merge(const YamlNode& key) { return key.scalar == "<<" && !key.quoted; }

  void check_key(Frame& frame, const YamlNode& key) {
    if (key.kind != Kind::scalar) {
      add(key, "a key must be plain text", "write `key: value`");
    } else if (is_merge(key)) {
      add(key, "merge keys are not supported", "write the keys out, or use `base:` where the format has it");
    } else if (!frame.keys.insert(key.scalar).second) {
      add(key, fmt::format("duplicate key '{}'", key.scalar), "keep one of them");
    }
  }

  std::shared_ptr<const std::string> file_;
  Diagnostics& problems_;
  std::vector<Frame> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::optional<YamlNode> root_;
  Size aliased_;  // what aliases have added
  int documents_ = 0;
};

/// The line of that number, from 1; empty where there is none.
std::string line_of(std::string_view text, int number) {
  for (int i = 1; i < number && !text.empty(); ++i)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return number > 0 ? std::string(text.substr(0, text.find('\n'))) : std::string();
}

/// yaml-cpp's messages in the words of someone who edits the file.
Diagnostic syntax_error(const YAML::Exception& e, std::string_view file, std::string_view document) {
  Where where{std::string(file), 0, 0};
  if (!e.mark.is_null()) where = {std::string(file), e.mark.line + 1, e.mark.column + 1};
  const auto says = [&](std::string_view part) { return e.msg.find(part) != std::string::npos; };
  if (says("anchor")) {  // later versions of the parser add the name
    return {Severity::error,
            where,
            {},
            "not valid YAML: the referenced anchor is not defined",
            "define the anchor with & before the alias with *"};
  }
  const std::string line = line_of(document, where.line);
  const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  std::string hint = "check indentation, colons and brackets near this place";
  if (says("tab") || line.find('\t') < indent) hint = "indent with spaces, not tabs";
  if (says("end of map") || says("end of sequence")) {
    hint = "close the bracket, quote a text that holds one (\"gpu[0-7]\"), or mend the indentation";
  }
  return {Severity::error, where, {}, "not valid YAML: " + e.msg, hint};
}

std::string too_large() { return fmt::format("larger than {} MiB", kMaxYamlBytes >> 20); }

/// Line and column of a byte that no text file holds, if any.
std::optional<Where> find_binary(std::string_view text, std::string_view file) {
  int line = 1;
  int column = 1;
  for (const char c : text) {
    if (c == '\0') return Where{std::string(file), line, column};
    column = c == '\n' ? 1 : column + 1;
    line += c == '\n' ? 1 : 0;
  }
  return std::nullopt;
}

}  // namespace

const YamlEntry* YamlNode::find(std::string_view key) const {
  for (const YamlEntry& entry : entries) {
    if (entry.key.scalar == key) return &entry;
  }
  return nullptr;
}

std::optional<YamlNode> parse_yaml(std::string_view text, std::string_view file, Diagnostics& problems) {
  const auto fail = [&](Where where, std::string message, std::string hint) {
    problems.add({Severity::error, std::move(where), {}, std::move(message), std::move(hint)});
    return std::nullopt;
  };
  const Where whole{std::string(file), 0, 0};
  if (text.size() > kMaxYamlBytes) {
    return fail(whole, too_large(), "split the file");
  }
  if (auto where = find_binary(text, file)) {
    return fail(*where, "a NUL byte: this is not a text file", "give a YAML file");
  }
  TreeBuilder builder(file, problems);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const StopParsing&) {
    return std::nullopt;
  } catch (const YAML::Exception& e) {
    problems.add(syntax_error(e, file, text));
    return std::nullopt;
  }
  auto root = builder.take_root();
  if (!root || root->kind == Kind::null) return fail(whole, "the file is empty", "write at least one key");
  return root;
}

std::optional<YamlNode> load_yaml(const std::string& path, Diagnostics& problems) {
  const auto fail = [&](std::string message, std::string hint) {
    problems.add({Severity::error, {path, 0, 0}, {}, std::move(message), std::move(hint)});
    return std::nullopt;
  };
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) return fail("cannot read this file: there is none", "check the path");
  if (!std::filesystem::is_regular_file(status))
    return fail("cannot read this: not a regular file", "give a YAML file");
  if (std::filesystem::file_size(path, failed) > kMaxYamlBytes) return fail(too_large(), "split the file");
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in.is_open() || in.bad()) return fail("cannot read this file", "check its permissions");
  return parse_yaml(text, path, problems);
}

YamlNode overlay(YamlNode base, const YamlNode& patch) {
  if (base.kind != Kind::map || patch.kind != Kind::map) return patch;
  std::erase_if(base.entries, [](const YamlEntry& e) { return e.key.scalar == "source"; });
  for (const YamlEntry& entry : patch.entries) {
    const auto old = std::find_if(base.entries.begin(), base.entries.end(),
                                  [&](const YamlEntry& e) { return e.key.scalar == entry.key.scalar; });
    if (old == base.entries.end()) {
      base.entries.push_back(entry);
    } else {
      old->key = entry.key;
      old->value = overlay(std::move(old->value), entry.value);
    }
  }
  base.line = patch.line;
  base.column = patch.column;
  base.file = patch.file;
  return base;
}

void set_value(YamlNode& tree, std::string_view assignment, Diagnostics& problems) {
  const std::size_t equals = assignment.find('=');
  const std::string file = fmt::format("--set {}", assignment.substr(0, equals));
  const auto fail = [&](std::string message) {
    problems.add({Severity::error, {file, 0, 0}, {}, std::move(message), "write --set key.key=value"});
  };
  if (equals == std::string_view::npos) return fail("no value");
  auto value = parse_yaml(assignment.substr(equals + 1), file, problems);
  if (!value) return;
  YamlNode* at = &tree;
  for (std::string_view rest = assignment.substr(0, equals);;) {
    const std::string key(rest.substr(0, rest.find('.')));
    if (key.empty()) return fail("an empty key");
    if (at->kind != Kind::map) {
      *at = YamlNode{};
      at->kind = Kind::map;
      at->file = value->file;
    }
    auto entry = std::find_if(at->entries.begin(), at->entries.end(),
                              [&](const YamlEntry& e) { return e.key.scalar == key; });
    if (entry == at->entries.end()) {
      YamlNode name;
      name.kind = Kind::scalar;
      name.file = value->file;
      name.scalar = key;
      entry = at->entries.insert(at->entries.end(), {std::move(name), {}});
    }
    at = &entry->value;
    if (rest.size() == key.size()) break;
    rest.remove_prefix(key.size() + 1);
  }
  *at = *std::move(value);
}

}  // namespace base
}  // namespace stepcast
