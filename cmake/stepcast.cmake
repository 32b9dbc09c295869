# What every target of ours shares.

add_library(stepcast_options INTERFACE)
target_compile_features(stepcast_options INTERFACE cxx_std_20)
target_include_directories(stepcast_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(stepcast_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual
  -ffp-contract=off)  # the same bytes on every machine: no fused multiply-add where the source has none

# stepcast_floor(NAME SOURCES ... [DEPENDS floors...] [PRIVATE libraries...]): one floor of the house as a static library.
function(stepcast_floor name)
  cmake_parse_arguments(FLOOR "" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
  add_library(stepcast_${name} STATIC ${FLOOR_SOURCES})
  target_link_libraries(stepcast_${name} PUBLIC stepcast_options ${FLOOR_DEPENDS} PRIVATE ${FLOOR_PRIVATE})
endfunction()
