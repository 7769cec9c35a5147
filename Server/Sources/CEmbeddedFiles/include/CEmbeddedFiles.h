// Files of the repository that are compiled into the server. The compiler reads them by `#embed` in a moment; the list of numbers that
// SwiftPM's `embedInCode` writes for each of them took it a minute.
#pragma once
#include <stddef.h>

typedef struct {
    const unsigned char *_Nonnull bytes;
    size_t count;
} embedded_file;

embedded_file embedded_look_css(void);
embedded_file embedded_pages_css(void);
embedded_file embedded_console_css(void);
embedded_file embedded_console_js(void);
embedded_file embedded_icon_svg(void);
embedded_file embedded_words_en(void);
embedded_file embedded_words_ko(void);
embedded_file embedded_words_ja(void);
embedded_file embedded_console_manual(void);
embedded_file embedded_console_manual_ko(void);
embedded_file embedded_console_manual_ja(void);
embedded_file embedded_trouble(void);
embedded_file embedded_trouble_ko(void);
embedded_file embedded_trouble_ja(void);
embedded_file embedded_openapi_yaml(void);
embedded_file embedded_openapi_json(void);
