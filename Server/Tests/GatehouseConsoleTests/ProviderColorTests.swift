import Foundation
import GatehouseHTML
import GatehouseLook
import GatehouseWire
import Testing

@testable import GatehouseConsole

@Suite struct ProviderColorTests {
    private struct Color: Hashable {
        let red, green, blue: Double

        init(_ hex: Substring) {
            let number = Int(hex, radix: 16) ?? 0
            (red, green, blue) = (Double(number >> 16), Double(number >> 8 & 255), Double(number & 255))
        }

        /// The relative luminance of WCAG 2.
        private var luminance: Double {
            func linear(_ part: Double) -> Double {
                let value = part / 255
                return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
        }

        func contrast(with other: Color) -> Double {
            let (one, two) = (luminance + 0.05, other.luminance + 0.05)
            return max(one, two) / min(one, two)
        }
    }

    private static let console = String(decoding: EmbeddedFile.consoleStyle.bytes, as: UTF8.self)
    private static let shared = String(decoding: PlainPage.sharedStyle, as: UTF8.self)

    /// The colours of the page's grounds, light and dark.
    private static func ground(_ name: String) throws -> (light: Color, dark: Color) {
        let pattern = try Regex("--\(name): light-dark\\(#([0-9a-f]{6}), #([0-9a-f]{6})\\)")
        let match = try #require(shared.firstMatch(of: pattern))
        return (Color(try #require(match[1].substring)), Color(try #require(match[2].substring)))
    }

    private static var styles: [Int: (light: Color, dark: Color)] {
        let found = console.matches(of: /\.s([0-9]+) \{ color: light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\) \}/)
        return Dictionary(
            found.map { (Int($0.output.1) ?? -1, (Color($0.output.2), Color($0.output.3))) }
        ) { $1 }
    }

    @Test("Every colour of a provider or a series is seen on light and dark pages, and read as a label")
    func contrast() throws {
        let styles = Self.styles
        #expect(Set(styles.keys) == Set(0..<ProviderColor.count))
        for name in ["card", "ground"] {
            let ground = try Self.ground(name)
            for (style, color) in styles {
                // Names of series stand on cards; marks, which need 3, stand anywhere.
                let least = name == "card" ? 4.5 : 3
                #expect(color.light.contrast(with: ground.light) >= least, "s\(style) on a light \(name)")
                #expect(color.dark.contrast(with: ground.dark) >= least, "s\(style) on a dark \(name)")
            }
        }
        #expect(Set(styles.values.map(\.light)).count == ProviderColor.count)
        #expect(Set(styles.values.map(\.dark)).count == ProviderColor.count)
    }

    @Test("Each provider that Gatehouse knows has a colour of its own, and any other has one that stays")
    func providers() {
        let known = [
            "guest", "google", "appleid", "iosgamecenter", "facebook", "line", "naver", "kakao", "kakaogame",
            "twitter", "weibo", "payco", "hangame",
        ]
        let styles = known.map(ProviderColor.style)
        #expect(Set(styles).count == known.count && !styles.contains(ProviderColor.others))
        for provider in ["studio", "", String(repeating: "\u{ffff}", count: 1_000)] {
            let style = ProviderColor.style(of: provider)
            #expect((0..<ProviderColor.count).contains(style) && !styles.contains(style))
            #expect(style != ProviderColor.others && style == ProviderColor.style(of: provider))
        }
    }

    @Test("A provider in a list has its mark before its name")
    func mark() {
        let cell = Cell.provider("google", .of(["en"]), link: "/x")
        #expect(
            String(decoding: cell.html.bytes, as: UTF8.self).hasPrefix("<span class=\"idp s0\"></span><a href=\"/x\">"))
    }
}
