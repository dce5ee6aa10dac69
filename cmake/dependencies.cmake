# The third-party libraries, each in the layer that DESIGN section 2 names.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)

pkg_check_modules(LIBEVENT REQUIRED libevent_core)
add_library(dyno_libevent INTERFACE)
target_include_directories(dyno_libevent SYSTEM INTERFACE ${LIBEVENT_INCLUDE_DIRS})
target_link_libraries(dyno_libevent INTERFACE ${LIBEVENT_LINK_LIBRARIES})

pkg_check_modules(CARES REQUIRED libcares>=1.18)
add_library(dyno_cares INTERFACE)
target_include_directories(dyno_cares SYSTEM INTERFACE ${CARES_INCLUDE_DIRS})
target_link_libraries(dyno_cares INTERFACE ${CARES_LINK_LIBRARIES})

find_package(OpenSSL 3.0 REQUIRED)
find_package(CURL 7.84 REQUIRED)

# llhttp: a libllhttp where the distribution has one, else the C sources that
# Debian's node-llhttp ships.
pkg_check_modules(LLHTTP QUIET libllhttp)
if(LLHTTP_FOUND)
  add_library(dyno_llhttp INTERFACE)
  target_include_directories(dyno_llhttp SYSTEM INTERFACE ${LLHTTP_INCLUDE_DIRS})
  target_link_libraries(dyno_llhttp INTERFACE ${LLHTTP_LINK_LIBRARIES})
  set(DYNO_LLHTTP_VERSION ${LLHTTP_VERSION})
else()
  find_path(LLHTTP_SOURCE llhttp.c PATHS /usr/share/llhttp REQUIRED)
  find_path(LLHTTP_INCLUDE llhttp.h PATHS /usr/share/include/llhttp REQUIRED)
  add_library(dyno_llhttp OBJECT ${LLHTTP_SOURCE}/llhttp.c
    ${LLHTTP_SOURCE}/api.c ${LLHTTP_SOURCE}/http.c)
  target_include_directories(dyno_llhttp SYSTEM PUBLIC ${LLHTTP_INCLUDE})
  # Refuses what its loose mode lets pass: a lone CR as the end of a line, blanks
  # in field names, bytes above 0x7f in a target.
  target_compile_definitions(dyno_llhttp PRIVATE LLHTTP_STRICT_MODE=1)
  # Its debug printer is dropped by the linker: the library never prints.
  target_compile_options(dyno_llhttp PRIVATE -ffunction-sections)
  set_target_properties(dyno_llhttp PROPERTIES
    POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
  file(STRINGS ${LLHTTP_INCLUDE}/llhttp.h parts REGEX
    "define LLHTTP_VERSION_(MAJOR|MINOR|PATCH)")
  list(TRANSFORM parts REPLACE "^#define [A-Z_]+ " "")
  list(JOIN parts "." DYNO_LLHTTP_VERSION)
endif()
