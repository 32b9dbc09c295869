// What a call meets outside: the catalogue's roots, standard output and error, files.

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/core.h>
#include <unistd.h>

#include "tools/cli/verb.hpp"

namespace stepcast::tools {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const std::string& file) {
  throw WriteError(fmt::format("cannot write {}: {}", file, std::strerror(errno)));
}

/// Text to a file that is no ordinary one (a pipe, a device).
void write_through(const std::string& file, const std::string& text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) cannot_write(file);
}

/// The file appears under its name only when it is whole, with the permissions that it had.
void write_whole(const std::string& name, const std::string& text) {
  std::error_code failed;
  const fs::file_status old = fs::status(name, failed);
  if (fs::exists(old) && !fs::is_regular_file(old)) return write_through(name, text);
  const std::string file =
      fs::exists(old) ? fs::canonical(name, failed).string() : name;  // through a symbolic link
  const std::string partial = fmt::format("{}.{}.part", file, ::getpid());
  errno = 0;
  std::ofstream out(partial, std::ios::binary);
  out << text;
  out.close();
  failed.clear();
  if (out && fs::exists(old)) fs::permissions(partial, old.permissions(), failed);
  if (out && !failed) fs::rename(partial, file, failed);
  if (out && !failed) return;
  const int reason = failed ? failed.value() : errno;
  fs::remove(partial, failed);
  errno = reason;
  cannot_write(name);
}

}  // namespace

std::string shipped_catalog() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path up = program.parent_path().parent_path();
  // installed; in build/PRESET of a checkout, which may have been moved; built elsewhere
  for (const fs::path& place : {up / STEPCAST_DATA_DIR / "catalog", up.parent_path() / "hardware/catalog"}) {
    if (fs::is_directory(place, ignored)) return place.string();
  }
  return STEPCAST_SOURCE_DIR "/hardware/catalog";
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

void print_error(const std::string& line) { static_cast<void>(std::fputs((line + "\n").c_str(), stderr)); }

void print_diagnostics(const Diagnostics& problems) {
  constexpr std::size_t kMost = 1000;
  const std::vector<Diagnostic> all = problems.sorted();
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i) print_error(to_text(all[i]));
  if (all.size() > kMost) print_error(fmt::format("... and {} more", all.size() - kMost));
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
