import Crypto
import GatehouseHTML
public import GatehousePlatform
public import GatehouseWire
import Synchronization

// The control pages of the fake world: `/` for people, `/world/...` for programs.
extension FakeProviders {
    func control(_ request: Request) -> Response {
        let parts = request.path.split(separator: "/").dropFirst().map(String.init)
        switch (request.method, parts.first) {
        case ("GET", nil): return controlPage()
        case ("GET", "configuration"):
            let provider = Provider(parts.dropFirst().first ?? "")
            guard Self.names.contains(provider) else { return Self.failure(404, "not_found") }
            return Self.json(["settings": configuration(of: provider), "secrets": secrets(of: provider)])
        case ("POST", "sign-in"): return signIn(request)
        case ("POST", "forget-logins"): return forgetLogins()
        case ("POST", "fault"):
            let form = request.form
            let provider = Provider(form["provider"] ?? "")
            let words = form["fault"] ?? ""
            guard Self.names.contains(provider), words == "none" || FakeFault(words) != nil else {
                return Self.failure(400, "there are the faults none, \(FakeFault.words.joined(separator: ", "))")
            }
            set(FakeFault(words), for: provider)
            return Response(status: 303, headers: ["Location": "/"], body: Data())
        case ("POST", "rotate"):
            let provider = Provider(request.form["provider"] ?? "")
            guard Self.names.contains(provider), (try? rotateKey(of: provider)) != nil else {
                return Self.failure(400, "unknown provider")
            }
            return Response(status: 303, headers: ["Location": "/"], body: Data())
        default: return Self.failure(404, "not_found")
        }
    }

    /// Returns what a provider's own library on a device would return: `{"provider": "google", "player": "alice"}`.
    private func signIn(_ request: Request) -> Response {
        struct SignIn: Decodable {
            let provider: Provider
            let player: String
        }
        guard let sign = try? JSONDecoder().decode(SignIn.self, from: request.body), !sign.player.isEmpty,
            Self.names.contains(sign.provider), let credential = try? credential(sign.provider, for: sign.player),
            let body = try? JSONEncoder().encode(credential)
        else { return Self.failure(400, "invalid_request") }
        return Response(status: 200, body: body)
    }

    /// Providers that send reports.
    public static let signallers = FakeRow.all.filter { $0.report != nil }.map(\.provider)

    /// A report about a player, as the provider sends it to a server: headers and body of a POST.
    ///
    /// - Parameter kind: `consent-revoked` or `account-deleted`.
    public func signal(
        _ provider: Provider, _ kind: String, of player: String, claims changed: [String: JSONValue?] = [:],
        signedBy other: FakeSigningKey? = nil
    ) throws -> (headers: [String: String], body: Data) {
        let subject = subject(of: player, at: provider)
        guard let report = row(of: provider)?.report else { return ([:], Data()) }
        let (headers, body) = try report(
            self, FakeReport(kind: kind, player: player, subject: subject, changed: changed, other: other))
        return (headers, Data(body))
    }
}

extension FakeProviders {
    /// An app's settings for a provider, in the format of `gatehouse idp set --file`.
    public func configuration(of provider: Provider) -> JSONValue {
        let members: [String: JSONValue] = [
            "origin": .string(origin), "clientIds": [.string(clientID(of: provider))],
            // A game without a provider's library finds the fake world with this.
            "additionalInfo": ["fakeWorld": .string(origin)],
        ]
        let own = row(of: provider)?.settings(self) ?? ["kind": .string(provider.rawValue)]
        return .object(members.merging(own) { $1 })
    }

    /// The secret settings.
    public func secrets(of provider: Provider) -> JSONValue {
        var secrets = row(of: provider)?.secrets(self) ?? [:]
        if row(of: provider)?.hasClientSecret ?? true {
            secrets["clientSecret"] = .string(clientSecret(of: provider))
        }
        return .object(secrets)
    }
}

// The page where a developer disturbs the providers.
extension FakeProviders {
    func controlPage() -> Response {
        let faults = state.withLock { $0.faults }
        let rows = Self.names.map { provider in
            """
            <tr><th scope="row">\(provider)</th>
            <td><form method="post" action="/world/fault" class="inline">\(Self.hidden(["provider": provider.rawValue]))
            <select name="fault" aria-label="Fault of \(provider)">\(Self.options(faults[provider]))</select>
            <button aria-label="Set the fault of \(provider)">Set</button></form></td>
            <td>\(faults[provider] == nil ? #"<span class="badge good">works</span>"# : #"<span class="badge bad">disturbed</span>"#)</td>
            <td><form method="post" action="/world/rotate">\(Self.hidden(["provider": provider.rawValue]))
            <button aria-label="New key for \(provider)">New key</button></form></td>
            <td>\(Self.signallers.contains(provider) ? Self.signalForm(provider) : "sends none")</td></tr>
            """
        }.joined(separator: "\n")
        return Self.page(
            "The fake world",
            """
            <p>These identity providers stand for the real ones on this machine: real paths, forms and oddities, keys of their own. Make one
            fail, and watch what your game and the server do.</p>
            <section class="card"><h2>Providers</h2>
            <div class="scroll" tabindex="0" role="region" aria-label="Providers"><table>
            <thead><tr><th scope="col">Provider</th><th scope="col">Fault</th><th scope="col">State</th>
            <th scope="col">Signing key</th><th scope="col">Report about a player</th></tr></thead>
            <tbody>\(rows)</tbody></table></div>
            <form method="post" action="/world/forget-logins"><p>The providers remember by a cookie who has logged in from this browser.</p>
            <button id="forget">Log this browser out of all</button></form></section>
            <section class="card"><h2>What each fault does</h2>
            <div class="scroll" tabindex="0" role="region" aria-label="What each fault does"><table>
            <thead><tr><th scope="col">Fault</th><th scope="col">The server's call and what comes back</th><th scope="col">What happens</th></tr></thead>
            <tbody>\(Self.explanations)</tbody></table></div></section>
            <section class="card"><h2>The rest of the table</h2>
            <p><strong>New key</strong>: the provider signs with a new key from now on and no longer publishes the old one. A server has to
            fetch the keys again, and players notice nothing.</p>
            <p><strong>Report</strong>: the provider tells the server that the player has withdrawn the consent or deleted the account there.
            The server decides what becomes of the member.</p></section>
            """, isWide: true)
    }

    private static func options(_ fault: FakeFault?) -> String {
        (["none"] + FakeFault.words).map { word in
            let isSet = word == "none" ? fault == nil : FakeFault(word) == fault
            return #"<option\#(isSet ? " selected" : "")>\#(word)</option>"#
        }.joined()
    }

    private static func signalForm(_ provider: Provider) -> String {
        """
        <form method="post" action="/world/signal" class="inline">\(hidden(["provider": provider.rawValue]))
        <input name="player" placeholder="player" aria-label="Player at \(provider)" size="8">
        <select name="signal" aria-label="Report of \(provider)"><option>consent-revoked</option><option>account-deleted</option></select>
        <button aria-label="Send the report of \(provider)">Report</button></form>
        """
    }

    private static let explanations = FakeFault.explanations.map { explanation in
        """
        <tr><th scope="row">\(explanation.words.map { "<code>\($0)</code>" }.joined(separator: " "))</th>
        <td>\(picture(explanation))</td><td>\(HTML.escaped(explanation.text))</td></tr>
        """
    }.joined(separator: "\n")

    /// The server at the left, the provider at the right, the call above and the answer below.
    private static func picture(_ explanation: FakeFault.Explanation) -> String {
        let arrives = explanation.arrives
        let style = explanation.isBad ? #" class="bad""# : ""
        let answer =
            arrives
            ? #"<path\#(style) d="M188 48H88m6 -4l-6 4l6 4"/>"#
            : #"<path\#(style) stroke-dasharray="4 4" d="M188 48H146"/><path\#(style) d="M132 42l12 12m0 -12l-12 12"/>"#
        return """
            <svg class="flow" viewBox="0 0 276 72" role="img" aria-label="\(HTML.escaped(explanation.answer))">\
            <rect x="1" y="12" width="80" height="48" rx="6"/><text x="41" y="40" text-anchor="middle">Gatehouse</text>\
            <rect x="195" y="12" width="80" height="48" rx="6"/><text x="235" y="40" text-anchor="middle">provider</text>\
            <path d="M88 26H188m-6 -4l6 4l-6 4"/><text x="138" y="20" text-anchor="middle">call</text>\(answer)\
            <text\(style) x="138" y="66" text-anchor="middle">\(HTML.escaped(explanation.answer))</text></svg>
            """
    }
}

extension FakeFault {
    /// What the control page says of a fault.
    struct Explanation {
        let words: [String]
        /// What comes back, in a few words for the picture.
        let answer: String
        /// Whether the answer reaches the server.
        var arrives = true
        var isBad = true
        let text: String
    }

    static let explanations = [
        Explanation(
            words: ["slow"], answer: "right, after 3 seconds", isBad: false,
            text: "Every answer takes three seconds. Logins wait, and other players' calls go on."),
        Explanation(
            words: ["down"], answer: "503", text: "Every call fails. The server says that the provider does not answer."
        ),
        Explanation(
            words: ["429"], answer: "429",
            text: "The provider says that it gets too many calls. The server waits before it asks again."),
        Explanation(
            words: ["server-error"], answer: "400 server_error",
            text: "Every call fails with OAuth's own code for a fault of the provider."),
        Explanation(
            words: ["lost-answer"], answer: "nothing for 60 seconds", arrives: false,
            text:
                "The provider does its work, but its answer does not arrive: a code is spent, and the server does not learn it."
        ),
        Explanation(
            words: ["wrong-audience"], answer: "a token for another client",
            text: "The provider issues tokens for another game. The server refuses them."),
        Explanation(
            words: ["revoked-tokens"], answer: "the token is not valid",
            text: "No access token is valid any longer, as after a player's change of password."),
        Explanation(
            words: FakeOddity.allCases.map(\.rawValue), answer: "200 and nonsense",
            text:
                "The status is 200, and the content is wrong: a web page, megabytes, nothing, an error, random bytes, or a person without an id. The server lets nobody in."
        ),
    ]
}
