// What a call meets outside: the catalogue's roots, standard output and error, files.

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/core.h>
#include <unistd.h>

#include "tools/cli/verb.hpp"

namespace stepcast::tools {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const std::string& file) {
  throw WriteError(fmt::format("cannot write {}: {}", file, std::strerror(errno)));
}

/// The file appears under its name only when it is whole.
void write_whole(const std::string& file, const std::string& text) {
  const std::string partial = fmt::format("{}.{}.part", file, ::getpid());
  errno = 0;
  std::ofstream out(partial, std::ios::binary);
  out << text;
  out.close();
  std::error_code failed;
  if (out) fs::rename(partial, file, failed);
  if (!out || failed) {
    if (failed) errno = failed.value();
    const int reason = errno;
    fs::remove(partial, failed);
    errno = reason;
    cannot_write(file);
  }
}

}  // namespace

std::string shipped_catalog() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = program.parent_path().parent_path() / STEPCAST_DATA_DIR / "catalog";
  return fs::is_directory(installed, ignored) ? installed.string() : STEPCAST_SOURCE_DIR "/hardware/catalog";
}

hardware::Catalog open_catalog(const Invocation& call) {
  std::vector<std::string> roots;
  if (const auto given = call.options.find("catalog"); given != call.options.end()) roots = given->second;
  if (const char* path = std::getenv("STEPCAST_CATALOG")) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::string_view root = rest.substr(0, rest.find(':'));
      if (!root.empty()) roots.emplace_back(root);
      rest.remove_prefix(std::min(rest.size(), root.size() + 1));
    }
  }
  roots.push_back(shipped_catalog());
  return hardware::Catalog(std::move(roots));
}

void print_diagnostics(const Diagnostics& problems) {
  for (const Diagnostic& d : problems.sorted()) fmt::print(stderr, "{}\n", to_text(d));
}

void write_result(const Invocation& call, const std::string& text) {
  const std::string file = call.get("output", "");
  if (!file.empty()) return write_whole(file, text);
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    cannot_write("to standard output");
  }
}

}  // namespace stepcast::tools
