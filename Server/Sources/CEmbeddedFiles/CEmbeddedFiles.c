#include "CEmbeddedFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

#define EMBEDDED(name) \
    embedded_file embedded_##name(void) { return (embedded_file){name, sizeof(name)}; }

static const unsigned char look_css[] = {
#embed "../GatehouseLook/look.css"
};
EMBEDDED(look_css)

static const unsigned char pages_css[] = {
#embed "../GatehouseLook/pages.css"
};
EMBEDDED(pages_css)

static const unsigned char console_css[] = {
#embed "../GatehouseConsole/Web/console.css"
};
EMBEDDED(console_css)

static const unsigned char console_js[] = {
#embed "../GatehouseConsole/Web/console.js"
};
EMBEDDED(console_js)

static const unsigned char icon_svg[] = {
#embed "../GatehouseConsole/Web/icon.svg"
};
EMBEDDED(icon_svg)

static const unsigned char words_en[] = {
#embed "../GatehouseConsole/Web/en.json"
};
EMBEDDED(words_en)

static const unsigned char words_ko[] = {
#embed "../GatehouseConsole/Web/ko.json"
};
EMBEDDED(words_ko)

static const unsigned char words_ja[] = {
#embed "../GatehouseConsole/Web/ja.json"
};
EMBEDDED(words_ja)

static const unsigned char console_manual[] = {
#embed "../../../docs/console.md"
};
EMBEDDED(console_manual)

static const unsigned char console_manual_ko[] = {
#embed "../../../docs/ko/console.md"
};
EMBEDDED(console_manual_ko)

static const unsigned char console_manual_ja[] = {
#embed "../../../docs/ja/console.md"
};
EMBEDDED(console_manual_ja)

static const unsigned char trouble[] = {
#embed "../../../docs/trouble.md"
};
EMBEDDED(trouble)

static const unsigned char trouble_ko[] = {
#embed "../../../docs/ko/trouble.md"
};
EMBEDDED(trouble_ko)

static const unsigned char trouble_ja[] = {
#embed "../../../docs/ja/trouble.md"
};
EMBEDDED(trouble_ja)

static const unsigned char openapi_yaml[] = {
#embed "../../../docs/openapi.yaml"
};
EMBEDDED(openapi_yaml)

static const unsigned char openapi_json[] = {
#embed "openapi.json"
};
EMBEDDED(openapi_json)
