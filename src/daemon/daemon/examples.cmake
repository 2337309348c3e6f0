# SPDX-License-Identifier: MIT
# cmake -DFOLDER=FOLDER -DNAMES=NAME;... -DOUT=FILE -P examples.cmake: writes FOLDER/NAME.yaml as arrays of characters, example_NAME.
set(text "/* SPDX-License-Identifier: MIT */\n")
foreach(name IN LISTS NAMES)
  file(READ ${FOLDER}/${name}.yaml bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  string(APPEND text "static const char example_${name}[] = {\n${bytes}0};\n")
endforeach()
file(WRITE ${OUT} "${text}")
