#include <string>
#include <vector>

#include "base/reader.hpp"
#include "base/text.hpp"
#include "tests/catch.hpp"

using namespace stepcast;

namespace {

/// The problems of reading `yaml` with `fields`, one text each, in file order.
std::vector<std::string> problems_of(std::string_view yaml,
                                     const std::function<void(MapReader&)>& fields = {}) {
  Diagnostics problems;
  if (const auto tree = parse_yaml(yaml, "f.yaml", problems); tree && fields)
    Reader(*tree, {}, problems).map(fields);
  std::vector<std::string> texts;
  for (const Diagnostic& d : problems.sorted()) texts.push_back(to_text(d));
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a map is read into typed values", "[reader]") {
  Bandwidth bandwidth;
  std::optional<Bytes> l2;
  int count = 0;
  bool flag = false;
  std::string name;
  std::vector<std::int64_t> sizes;
  Range<Seconds> range;
  Date date;
  const Texts none = problems_of(
      "bandwidth: 600 GB/s\ncount: 8\nflag: true\nname: no\nsizes: [1, 2e3]\nrange: {low: 1 s, high: 3 "
      "s}\ndate: 2026-08\n",
      [&](MapReader& m) {
        m.required("bandwidth", bandwidth, kPositive);
        m.optional("l2", l2);
        m.required("count", count, kAtLeastOne);
        m.required("flag", flag);
        m.required("name", name);
        m.required("sizes", sizes);
        m.required("range", range);
        m.required("date", date);
      });
  CHECK(none.empty());
  CHECK(bandwidth == 600.0_GBps);
  CHECK_FALSE(l2.has_value());
  CHECK(count == 8);
  CHECK(flag);
  CHECK(name == "no");  // YAML 1.1 would make it false
  CHECK(sizes == std::vector<std::int64_t>{1, 2000});
  CHECK_FALSE(range.typical.has_value());  // nobody said
  CHECK(date == Date{2026, 8, 0});
}

TEST_CASE("all problems of a file come at once, in file order, each with its place", "[reader]") {
  int count = 0;
  Bandwidth bandwidth;
  bool flag = false;
  const Texts texts = problems_of("count: 010\nbandwith: 3 GB/s\nflag: yes\ncount: 2\n", [&](MapReader& m) {
    m.required("count", count);
    m.required("bandwidth", bandwidth);
    m.required("flag", flag);
  });
  CHECK(texts ==
        Texts{"f.yaml:1:1: error: missing key 'bandwidth'; add `bandwidth: ...`",
              "f.yaml:1:8: error: count: '010' looks octal; write 10",
              "f.yaml:2:1: error: unknown key 'bandwith'; did you mean 'bandwidth'?",
              "f.yaml:3:7: error: flag: 'yes' is neither true nor false; write true or false, without quotes",
              "f.yaml:4:1: error: duplicate key 'count'; keep one of them"});
}

TEST_CASE("integers are whole, decimal and exact", "[reader]") {
  const auto says = [](const std::string& value) {
    std::int64_t out = 0;
    const Texts texts = problems_of("n: " + value + "\n", [&](MapReader& m) {
      m.required("n", out, Bounds{0, 1e18});
    });
    return texts.empty() ? std::to_string(out) : texts[0];
  };
  CHECK(says("0") == "0");
  CHECK(says("2e12") == "2000000000000");
  CHECK(says("9007199254740991") == "9007199254740991");
  CHECK_THAT(says("9007199254740994"), ContainsSubstring("too large"));
  CHECK_THAT(says("1.5"), ContainsSubstring("not a whole number"));
  CHECK_THAT(says("0o17"), ContainsSubstring("not a decimal number"));
  CHECK_THAT(says("\"8\""), ContainsSubstring("is text, not a number"));
  CHECK_THAT(says("8 GB"), ContainsSubstring("has a unit"));
  CHECK_THAT(says("-1"), ContainsSubstring("out of range"));
  CHECK_THAT(says("[1]"), ContainsSubstring("not a list"));
  CHECK_THAT(says(""), ContainsSubstring("not nothing"));
}

TEST_CASE("hostile documents are refused and do not explode", "[yaml]") {
  CHECK_THAT(problems_of("a: 1\n---\nb: 2\n")[0], ContainsSubstring("f.yaml:2:1: error: a second document"));
  CHECK_THAT(problems_of(std::string(100'000, '['))[0], ContainsSubstring("levels deep"));
  CHECK_THAT(problems_of("a: &x [*x]\n")[0], ContainsSubstring("inside the value that it names"));
  CHECK_THAT(problems_of("<<: {a: 1}\n")[0], ContainsSubstring("merge keys"));
  CHECK_THAT(problems_of("a: !!int 3\n")[0], ContainsSubstring("tag"));
  CHECK_THAT(problems_of("? [a]\n: 3\n")[0], ContainsSubstring("a key must be plain text"));
  CHECK_THAT(problems_of("")[0], ContainsSubstring("empty"));
  CHECK_THAT(problems_of(std::string("a: b\n\0c", 7))[0], ContainsSubstring("f.yaml:2:1: error: a NUL byte"));
  std::string bomb = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (char c = 'b'; c < 'm'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) bomb += std::string(i == 0 ? "*" : ", *") + static_cast<char>(c - 1);
    bomb += "]\n";
  }
  CHECK_THAT(problems_of(bomb)[0], ContainsSubstring("aliases expand to more than"));
}

TEST_CASE("an alias stands for a copy, and its problems point at the original", "[yaml]") {
  std::vector<int> first;
  std::vector<int> second;
  const Texts texts = problems_of("a: &x [1, y]\nb: *x\n", [&](MapReader& m) {
    m.required("a", first);
    m.required("b", second);
  });
  REQUIRE(texts.size() == 2);
  CHECK_THAT(texts[0], ContainsSubstring("f.yaml:1:11: error: a[1]"));
  CHECK_THAT(texts[1], ContainsSubstring("f.yaml:1:11: error: b[1]"));
}

TEST_CASE("overlay merges maps, replaces the rest and drops the source of changed numbers", "[yaml]") {
  Diagnostics problems;
  const auto base =
      parse_yaml("m: {a: 1, b: 2, source: s}\nl: [1, 2]\nk: {c: 3, source: t}\n", "base.yaml", problems);
  const auto patch = parse_yaml("m: {b: 5}\nl: [9]\n", "patch.yaml", problems);
  REQUIRE((base && patch));
  const YamlNode both = overlay(*base, *patch);
  CHECK(both.find("m")->value.find("a")->value.scalar == "1");
  CHECK(both.find("m")->value.find("b")->value.scalar == "5");
  CHECK(both.find("m")->value.find("b")->value.where() == Where{"patch.yaml", 1, 8});
  CHECK(both.find("m")->value.find("source") == nullptr);
  CHECK(both.find("l")->value.items.size() == 1);
  CHECK(both.find("k")->value.find("source") != nullptr);
}

TEST_CASE("suggestions are near or absent", "[text]") {
  const std::vector<std::string> words = {"bandwidth", "latency", "count"};
  CHECK(nearest("bandwith", words) == "bandwidth");
  CHECK(nearest("lateny", words) == "latency");
  CHECK(nearest("LATENCY", words) == "latency");
  CHECK(nearest("cuont", words) == "count");
  CHECK(nearest("xyz", words).empty());
  CHECK(nearest("", words).empty());
}

TEST_CASE("a broken invariant says where it broke", "[diagnostic]") {
  CHECK_NOTHROW(STEPCAST_CHECK(1 + 1 == 2, "arithmetic"));
  CHECK_THROWS_WITH(STEPCAST_CHECK(1 + 1 == 3, "arithmetic"), ContainsSubstring("arithmetic (1 + 1 == 3)"));
}
