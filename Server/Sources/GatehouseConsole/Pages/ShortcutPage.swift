import GatehouseHTML
import GatehouseSecurity
import Hummingbird

/// The keys that are short cuts.
extension Console {
    static func addShortcuts(to pages: Pages) {
        pages.server("/keys", as: nil) { visit in visit.shortcutPage() }
    }
}

extension Visit {
    private static let shortcuts: [(keys: [String], text: String)] = [
        (["/", "Ctrl K"], "keys.find"), (["g", "o"], "nav.overview"), (["g", "m"], "nav.members"),
        (["g", "b"], "nav.bans"),
        (["g", "l"], "nav.launching"), (["g", "p"], "nav.providers"), (["g", "a"], "nav.audit"),
        (["g", "j"], "nav.jobs"), (["j", "k"], "keys.rows"), (["Enter"], "keys.open"), (["o"], "keys.tab"),
        (["Esc"], "keys.leave"), (["?"], "keys.title"),
    ]

    fileprivate func shortcutPage() -> Response {
        show(Page(words("keys.title"), section: "keys")) {
            section(.class("card")) {
                dl(.class("facts")) {
                    for (keys, text) in Self.shortcuts {
                        dt {
                            for key in keys {
                                kbd { key }
                                " "
                            }
                        }
                        dd { words(text) }
                    }
                }
                p(.class("small")) { words("keys.off") }
            }
        }
    }
}
