import CEmbeddedFiles

/// A file of the repository that is compiled into the program.
package enum EmbeddedFile {
    case sharedStyle
    case pageStyle
    case consoleStyle
    case consoleScript
    case consoleIcon
    case englishWords
    case koreanWords
    case japaneseWords
    case consoleManual
    case koreanConsoleManual
    case japaneseConsoleManual
    case trouble
    case koreanTrouble
    case japaneseTrouble
    case openAPIAsYAML
    case openAPIAsJSON

    package var bytes: [UInt8] {
        let file = content
        return Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }

    private var content: embedded_file {
        switch self {
        case .sharedStyle: embedded_look_css()
        case .pageStyle: embedded_pages_css()
        case .consoleStyle: embedded_console_css()
        case .consoleScript: embedded_console_js()
        case .consoleIcon: embedded_icon_svg()
        case .englishWords: embedded_words_en()
        case .koreanWords: embedded_words_ko()
        case .japaneseWords: embedded_words_ja()
        case .consoleManual: embedded_console_manual()
        case .koreanConsoleManual: embedded_console_manual_ko()
        case .japaneseConsoleManual: embedded_console_manual_ja()
        case .trouble: embedded_trouble()
        case .koreanTrouble: embedded_trouble_ko()
        case .japaneseTrouble: embedded_trouble_ja()
        case .openAPIAsYAML: embedded_openapi_yaml()
        case .openAPIAsJSON: embedded_openapi_json()
        }
    }
}
