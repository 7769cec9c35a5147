import GatehouseHTML
import GatehouseLook
import GatehousePlatform
import GatehouseWire
import Synchronization

// The page where a player logs in, and where a developer chooses the player.
extension FakeProviders {
    func loginPage(_ request: Request, _ row: FakeRow) -> Response {
        let provider = row.provider
        let parameters = request.method == "POST" ? request.form : request.query
        let client = parameters["client_id"] ?? ""
        guard client == clientID(of: provider) || client.hasPrefix("\(clientID(of: provider))-"),
            let redirect = parameters["redirect_uri"], !redirect.isEmpty, parameters["response_type"] == "code"
        else { return Self.page("Wrong request", "<p>This client is unknown here.</p>", status: 400) }
        guard state.withLock({ $0.callbacks[provider] })?.contains(redirect) ?? true else {
            return Self.page("Wrong request", "<p>This callback is unknown here.</p>", status: 400)
        }
        if row.needsPKCE, parameters["code_challenge"] == nil {
            return Self.page("Wrong request", "<p>PKCE is needed here.</p>", status: 400)
        }
        let remembered = Self.logins(of: request)[provider.rawValue]
        guard request.method == "POST", let action = parameters["fake_action"] else {
            // A player who is logged in here already continues without a form, as at the real providers.
            guard let player = remembered else { return form(parameters, request, provider) }
            if !row.asksAnew(parameters) { return welcome(player, parameters, redirect, row) }
            return row.offersAccounts
                ? choice(of: player, parameters, request, provider) : form(parameters, request, provider)
        }
        let player = parameters["fake_player"]?.trimmingSpaces() ?? ""
        if action == "choose" {
            return player == remembered
                ? welcome(player, parameters, redirect, row) : form(parameters, request, provider)
        }
        guard action == "login", !player.isEmpty else { return cancelled(parameters, redirect, row) }
        var answer = welcome(player, parameters, redirect, row)
        let logins = Self.logins(of: request).merging([provider.rawValue: player]) { $1 }
        answer.headers["Set-Cookie"] = Self.cookie(of: logins)
        return answer
    }

    /// Redirects a logged-in player back to the game's server with a code.
    private func welcome(
        _ player: String, _ parameters: [String: String], _ redirect: String, _ row: FakeRow
    ) -> Response {
        let code = code(
            Grant(
                provider: row.provider, player: player, clientID: parameters["client_id"] ?? "", redirect: redirect,
                nonce: parameters["nonce"], challenge: parameters["code_challenge"]))
        var answer = ["code": code.secretValue]
        if row.namesIssuer { answer["iss"] = issuer(of: row.provider) }
        if row.tellsNameOnce, state.withLock({ $0.named.insert(player).inserted }) {
            answer["user"] = #"{"name":{"firstName":"Player","lastName":"\#(player)"}}"#
        }
        return back(to: redirect, answer, parameters)
    }

    private static let cookieName = "fake_logins"

    /// The players logged in at each provider in this browser. A cookie stores them, as at real providers.
    private static func logins(of request: Request) -> [String: String] {
        let cookies = (request.headers["cookie"] ?? "").split(separator: ";").map {
            $0.trimmingSpaces()
        }
        guard let cookie = cookies.first(where: { $0.hasPrefix("\(cookieName)=") }),
            let bytes = Base64URL.decode(cookie.dropFirst(cookieName.count + 1).utf8)
        else { return [:] }
        return (try? JSONDecoder().decode([String: String].self, from: Data(bytes))) ?? [:]
    }

    private static func cookie(of logins: [String: String]) -> String {
        let value = Base64URL.encode((try? JSONEncoder().encode(logins)) ?? Data())
        return "\(cookieName)=\(value); Path=/; HttpOnly; SameSite=Lax"
    }

    /// Logs this browser out of every provider.
    func forgetLogins() -> Response {
        Response(
            status: 303, headers: ["Location": "/", "Set-Cookie": "\(Self.cookieName)=; Path=/; Max-Age=0"],
            body: Data())
    }

    private func cancelled(_ parameters: [String: String], _ redirect: String, _ row: FakeRow) -> Response {
        var answer = row.cancelled
        if row.namesIssuer { answer["iss"] = issuer(of: row.provider) }
        return back(to: redirect, answer, parameters)
    }

    private func back(to redirect: String, _ answer: [String: String], _ parameters: [String: String]) -> Response {
        var answer = answer
        answer["state"] = parameters["state"]
        guard parameters["response_mode"] == "form_post" else {
            var url = URLComponents(string: redirect)
            let items = answer.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0, value: $1) }
            let own = url?.queryItems ?? []
            url?.queryItems = own + items
            let query = url?.percentEncodedQuery?.replacing("+", with: "%2B")
            url?.percentEncodedQuery = query
            return Response(status: 302, headers: ["Location": url?.string ?? redirect], body: Data())
        }
        // Apple's page submits a form automatically.
        let fields = Self.hidden(answer)
        return Self.page(
            "Continue",
            """
            <form method="post" action="\(HTML.escaped(redirect))">\(fields)<button>Continue</button></form>
            <script>document.forms[0].submit()</script>
            """)
    }

    private func form(_ parameters: [String: String], _ request: Request, _ provider: Provider) -> Response {
        let players = state.withLock { $0.players }
        let choices = players.map { player in
            """
            <button name="fake_player" value="\(HTML.escaped(player))" id="player-\(HTML.escaped(player))">\
            \(HTML.escaped(player))</button>
            """
        }.joined(separator: "\n")
        let action = HTML.escaped("\(origin)\(request.path)")
        let fields = Self.hidden(parameters)
        return Self.page(
            "Fake \(provider)",
            """
            <p>This page stands for the provider's own. Who logs in?</p>
            <form method="post" action="\(action)" class="players">\(fields)<input type="hidden" name="fake_action" value="login">
            \(choices)</form>
            <form method="post" action="\(action)" class="card">\(fields)<input type="hidden" name="fake_action" value="login">
            <div class="field"><label for="name">Somebody else</label>
            <input name="fake_player" id="name" autocomplete="off" placeholder="any name"></div>
            <button id="login" class="primary">Log in</button></form>
            <form method="post" action="\(action)">\(fields)<input type="hidden" name="fake_action" value="cancel">
            <button id="cancel">Cancel</button></form>
            """)
    }

    /// The accounts that the browser knows, and the way to another: that one is asked for.
    private func choice(
        of player: String, _ parameters: [String: String], _ request: Request, _ provider: Provider
    ) -> Response {
        let action = HTML.escaped("\(origin)\(request.path)")
        let fields = Self.hidden(parameters)
        let name = HTML.escaped(player)
        return Self.page(
            "Fake \(provider): choose an account",
            """
            <form method="post" action="\(action)" class="players">\(fields)<input type="hidden" name="fake_action" value="choose">
            <button name="fake_player" value="\(name)" id="known-\(name)" class="primary">\(name)</button></form>
            <form method="post" action="\(action)" class="players">\(fields)<input type="hidden" name="fake_action" value="choose">
            <button id="another">Use another account</button></form>
            <form method="post" action="\(action)">\(fields)<input type="hidden" name="fake_action" value="cancel">
            <button id="cancel">Cancel</button></form>
            """)
    }

    static func hidden(_ members: [String: String]) -> String {
        members.filter { !$0.key.hasPrefix("fake_") }.sorted { $0.key < $1.key }.map {
            #"<input type="hidden" name="\#(HTML.escaped($0.key))" value="\#(HTML.escaped($0.value))">"#
        }.joined()
    }

    static func page(_ title: String, _ body: String, isWide: Bool = false, status: Int = 200) -> Response {
        let page = PlainPage(title, form: isWide ? .wide : .narrow, brand: "Gatehouse · fake world", content: body)
        return Response(
            status: status, headers: ["Content-Type": "text/html; charset=utf-8"], body: Data(page.html.utf8))
    }
}
