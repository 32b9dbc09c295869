#pragma once

// Catch2 2 and 3 under one name: the only place that tells them apart.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>
inline auto ContainsSubstring(const std::string& text) { return Catch::Matchers::Contains(text); }
#endif
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
