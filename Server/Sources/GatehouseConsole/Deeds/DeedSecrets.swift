import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

// What a change has made that is shown now and never again.
extension Visit {
    func secrets(of kind: DeedKind, _ form: FormValues, _ result: DeedResult) -> Response {
        var page = Page(words("deed.\(kind.name)"), section: kind.section)
        page.crumbs = crumbs(of: kind, form)
        return show(page) {
            div(.class("card")) {
                p(.class("notice warn"), .role("status")) { words("deed.once") }
                Facts(owner(of: kind, form))
                dl(.class("facts once")) {
                    for secret in result.secrets {
                        dt { secret.label }
                        dd { code(Attribute("data-copy", words("deed.copy"))) { grouped(secret.value.text) } }
                    }
                }
                if let end = result.secretsEnd {
                    Facts([Fact(words("deed.secrets-end"), .time(end, local))])
                }
                Buttons([Link(words("deed.kept"), result.address, style: "primary")] + next(after: kind, form))
            }
        }
    }

    /// What follows when the new secret is in use: an own key of the app replaces the former ones, for the same reason.
    private func next(after kind: DeedKind, _ form: FormValues) -> [Link] {
        guard kind.name == "secret.created", form["kind"] == "own" else { return [] }
        let reason = form["reason"] ?? form["earlierReason"]
        return [offer("secret.revoked-old", reason.map { ["reason": $0] } ?? [:])].compactMap(\.self)
    }

    /// The player, operator or key to whom the secrets belong.
    private func owner(of kind: DeedKind, _ form: FormValues) -> [Fact] {
        switch try? kind.target(form) {
        case .member(let user)?: [Fact(words("deed.for-player"), .code(user.rawValue, link: memberLink(user)))]
        case .person(let name)?: [Fact(words("deed.for-name"), Cell(name))]
        case .secrets?:
            form["kind"] == "named" ? form["name"].map { [Fact(words("deed.for-name"), Cell($0))] } ?? [] : []
        default: []
        }
    }

    /// Digits in groups of four, which are read aloud. What is copied has no gaps.
    @HTMLBuilder private func grouped(_ text: String) -> HTML {
        let digits = Array(text.utf8)
        if (8...32).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) {
            for start in stride(from: 0, to: digits.count, by: 4) {
                span { String(decoding: digits[start..<min(start + 4, digits.count)], as: UTF8.self) }
            }
        } else {
            text
        }
    }
}
