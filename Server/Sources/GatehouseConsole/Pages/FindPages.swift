import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Hummingbird

extension Visit {
    /// Goes to what the box of every page names, or lists it if it names several things.
    func found() async throws -> Response {
        let text = Self.plain(query["q"] ?? "", limit: 400)
        if text.begins(with: "gsk_") { return try await foundSecret(SecretKey(text)) }
        var members: [FindPlayer.Found] = []
        var refusals: [RefusedCall] = []
        let key = KeyThumbprint(text)
        // A viewer does not see keys, and is led to the device's guest alone.
        if may(.support), Base64URL.decode(text)?.count == 32, try await run(ListDeviceMembers(on: key)).count > 1 {
            return Console.redirect(to: deviceLink(key))
        }
        if !text.isEmpty {
            members = try await run(FindPlayer(text: text))
            if !members.contains(where: { $0.by == .userID }) {
                refusals = try await run(FindRefusals(transactionID: text))
            }
        }
        if refusals.isEmpty, members.count == 1, let member = members.first, member.by != .formerIdentity {
            return Console.redirect(to: memberLink(member.user))
        }
        if members.isEmpty, refusals.count == 1, let refusal = refusals.first {
            return Console.redirect(to: refusalLink(refusal))
        }
        let page = Page(words("find.title", ["text": text]), section: "members")
        guard refusals.isEmpty else { return showList(page, refusalTable(refusals)) }
        let table = Table(
            words("find.members"), [words("members.id"), words("members.state"), words("find.by")],
            members.map { member in
                TableRow([
                    .code(member.user.rawValue, link: memberLink(member.user)), memberState(member.status),
                    Cell(foundBy(member)),
                ])
            }, empty: words(text.has("@") ? "find.mail" : "find.empty"))
        return showList(page, table)
    }

    /// Leads to the row of a secret key. The address of that page has the key's id alone.
    private func foundSecret(_ key: SecretKey) async throws -> Response {
        let secret = may(.owner) ? try await run(ListSecrets()).first { $0.isHash(of: key) } : nil
        if let secret { return Console.redirect(to: address("secrets") + "?key=\(secret.id)") }
        return showList(
            Page(words("secrets.key"), section: "members"),
            Table("", [], [], empty: words(may(.owner) ? "find.no-secret" : "find.secret")))
    }

    /// What an address may name: its beginning, without control characters, which no id has.
    static func plain(_ text: String, limit: Int) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 }.prefix(limit)))
    }

    private func foundBy(_ member: FindPlayer.Found) -> String {
        words(
            "find.by.\(member.by.rawValue)",
            [
                "idp": member.provider.map { providerLabel($0.rawValue) } ?? "",
                "date": member.until.map { local.absolute($0) } ?? "–",
            ])
    }
}
