# dyno_layer(NAME LIBRARIES…): src/NAME as one object library of the core.
set(DYNO_OBJECTS)
set(DYNO_LIBRARIES)

add_library(dyno_flags INTERFACE)
target_compile_features(dyno_flags INTERFACE cxx_std_20)
target_compile_options(dyno_flags INTERFACE
  -Wall -Wextra -Wconversion -Wshadow
  $<$<BOOL:${HTTPDYNO_WERROR}>:-Werror>
  # GCC 12 sees an overlap in "text" + std::string that is not there (GCC bug
  # 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
target_link_libraries(dyno_flags INTERFACE Threads::Threads)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
if(HTTPDYNO_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
endif()
if(HTTPDYNO_SANITIZE)
  add_compile_options(-fsanitize=${HTTPDYNO_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HTTPDYNO_SANITIZE})
  # Beside a sanitizer GCC 12 takes values of a std::variant for unset.
  target_compile_options(dyno_flags INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()

function(dyno_layer name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_SOURCE_DIR}/src/${name}/*.cc)
  add_library(dyno_${name} OBJECT ${sources})
  target_include_directories(dyno_${name} PUBLIC
    ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR}/include)
  target_link_libraries(dyno_${name} PRIVATE dyno_flags ${ARGN})
  set(objects ${DYNO_OBJECTS} $<TARGET_OBJECTS:dyno_${name}>)
  foreach(library IN LISTS ARGN)
    get_target_property(type ${library} TYPE)
    if(type STREQUAL OBJECT_LIBRARY)
      list(APPEND objects $<TARGET_OBJECTS:${library}>)
    endif()
  endforeach()
  set(DYNO_OBJECTS ${objects} PARENT_SCOPE)
  set(libraries ${DYNO_LIBRARIES} ${ARGN} dyno_flags)
  list(REMOVE_DUPLICATES libraries)
  list(FILTER libraries EXCLUDE REGEX "^dyno_llhttp$")
  set(DYNO_LIBRARIES ${libraries} PARENT_SCOPE)
endfunction()
