import GatehouseHTML

/// The colour of each identity provider, the same in charts, lists and badges, so that nobody has to learn it twice.
///
/// A style is the number of a class of the style sheet, such as `s3`, which has one colour for light pages and one for dark ones.
enum ProviderColor {
    /// How many styles the style sheet has.
    static let count = 16
    /// The style of what is left when a chart adds its smallest series up.
    static let others = 13

    private static let styles = [
        "guest": 7, "google": 0, "appleid": 15, "iosgamecenter": 4, "facebook": 9, "line": 2, "naver": 10, "kakao": 6,
        "kakaogame": 8, "twitter": 5, "weibo": 14, "payco": 11, "hangame": 1,
    ]
    /// Those of the providers that a game has added itself.
    private static let free = [3, 12]

    static func style(of provider: String) -> Int {
        if let style = styles[provider] { return style }
        let sum = provider.utf8.reduce(UInt32(5)) { ($0 &* 31) &+ UInt32($1) }
        return free[Int(sum % UInt32(free.count))]
    }

    /// The class of the style sheet that has the colour as `currentcolor`.
    static func name(of provider: String) -> String { "s\(style(of: provider))" }
}

/// A dot in the colour of a provider, before its name. It says nothing that the name does not say.
struct ProviderMark: HTMLPart, Markup {
    let provider: String

    init(_ provider: String) {
        self.provider = provider
    }

    var html: HTML { span(.class("idp", ProviderColor.name(of: provider))) {} }
}

extension Cell {
    /// An identity provider as people know it, with its mark.
    static func provider(_ provider: String, _ words: Words, link: String? = nil) -> Cell {
        var cell = Cell(words.providerLabel(provider), link: link)
        cell.provider = provider
        return cell
    }
}
