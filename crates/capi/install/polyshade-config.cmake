# polyshade::polyshade is the shared library, polyshade::static is the static library.
get_filename_component(_polyshade_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET polyshade::polyshade)
  add_library(polyshade::polyshade SHARED IMPORTED)
  set_target_properties(polyshade::polyshade PROPERTIES
    IMPORTED_LOCATION "${_polyshade_prefix}/lib/libpolyshade.so"
    IMPORTED_SONAME "libpolyshade.so.0"
    INTERFACE_INCLUDE_DIRECTORIES "${_polyshade_prefix}/include")

  find_package(Threads REQUIRED)
  add_library(polyshade::static STATIC IMPORTED)
  set_target_properties(polyshade::static PROPERTIES
    IMPORTED_LOCATION "${_polyshade_prefix}/lib/libpolyshade.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_polyshade_prefix}/include"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m")
endif()

unset(_polyshade_prefix)
