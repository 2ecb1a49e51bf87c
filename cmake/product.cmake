# topowise_product: everything that `cmake --install` installs. `make build` builds it, and so does `cmake --build` without a target.
add_custom_target(topowise_product ALL)

# topowise_install(TARGET ...): installs a target as install(TARGETS) does, and makes it a part of topowise_product.
function(topowise_install target)
  install(TARGETS ${target} ${ARGN})
  add_dependencies(topowise_product ${target})
endfunction()
