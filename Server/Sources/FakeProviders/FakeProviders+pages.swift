import Foundation
import GatehouseWire
import Synchronization

// The page where a player logs in, and where a developer picks who that is.
extension FakeProviders {
    func loginPage(_ request: Request, _ provider: Provider) -> Response {
        let parameters = request.method == "POST" ? request.form : request.query
        let client = parameters["client_id"] ?? ""
        guard client == clientID(of: provider) || client.hasPrefix("\(clientID(of: provider))-"),
            let redirect = parameters["redirect_uri"], !redirect.isEmpty, parameters["response_type"] == "code"
        else { return Self.page("Wrong request", "<p>This client is unknown here.</p>", status: 400) }
        guard state.withLock({ $0.callbacks[provider] })?.contains(redirect) ?? true else {
            return Self.page("Wrong request", "<p>This callback is unknown here.</p>", status: 400)
        }
        if provider == .twitter, parameters["code_challenge"] == nil {
            return Self.page("Wrong request", "<p>PKCE is needed here.</p>", status: 400)
        }
        guard request.method == "POST", let action = parameters["fake_action"] else {
            return form(parameters, request, provider)
        }
        let player = parameters["fake_player"]?.trimmingCharacters(in: .whitespaces) ?? ""
        guard action == "login", !player.isEmpty else { return cancelled(parameters, redirect, provider) }
        let code = code(
            Grant(
                provider: provider, player: player, clientID: client, redirect: redirect, nonce: parameters["nonce"],
                challenge: parameters["code_challenge"]))
        var answer = ["code": code.secretValue]
        if provider == .studio || provider == .google { answer["iss"] = issuer(of: provider) }
        if provider == .apple, state.withLock({ $0.named.insert(player).inserted }) {
            answer["user"] = #"{"name":{"firstName":"Player","lastName":"\#(player)"}}"#
        }
        return back(to: redirect, answer, parameters)
    }

    private func cancelled(_ parameters: [String: String], _ redirect: String, _ provider: Provider) -> Response {
        var answer = ["error": provider == .apple ? "user_cancelled_authorize" : "access_denied"]
        if provider == .facebook { answer["error_reason"] = "user_denied" }
        if provider == .studio || provider == .google { answer["iss"] = issuer(of: provider) }
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
            let query = url?.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
            url?.percentEncodedQuery = query
            return Response(status: 302, headers: ["Location": url?.string ?? redirect], body: Data())
        }
        // Apple's page sends a form by itself.
        let fields = Self.hidden(answer)
        return Self.page(
            "Continue",
            """
            <form method="post" action="\(Self.escaped(redirect))">\(fields)<button>Continue</button></form>
            <script>document.forms[0].submit()</script>
            """)
    }

    private func form(_ parameters: [String: String], _ request: Request, _ provider: Provider) -> Response {
        let players = state.withLock { $0.players }
        let choices = players.map { player in
            """
            <button name="fake_player" value="\(Self.escaped(player))" id="player-\(Self.escaped(player))">\
            \(Self.escaped(player))</button>
            """
        }.joined(separator: "\n")
        let action = Self.escaped("\(origin)\(request.path)")
        let fields = Self.hidden(parameters)
        return Self.page(
            "Fake \(provider)",
            """
            <p>Who is it that logs in?</p>
            <form method="post" action="\(action)">\(fields)<input type="hidden" name="fake_action" value="login">
            \(choices)</form>
            <form method="post" action="\(action)">\(fields)<input type="hidden" name="fake_action" value="login">
            <label>Somebody else <input name="fake_player" id="name" autocomplete="off"></label>
            <button id="login">Log in</button></form>
            <form method="post" action="\(action)">\(fields)<input type="hidden" name="fake_action" value="cancel">
            <button id="cancel">Cancel</button></form>
            """)
    }

    static func hidden(_ members: [String: String]) -> String {
        members.filter { !$0.key.hasPrefix("fake_") }.sorted { $0.key < $1.key }.map {
            #"<input type="hidden" name="\#(escaped($0.key))" value="\#(escaped($0.value))">"#
        }.joined()
    }

    static func page(_ title: String, _ body: String, status: Int = 200) -> Response {
        let html = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>\(escaped(title))</title>
            <style>
            :root { color-scheme: light dark }
            body { font: 1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }
            button, input, select { font: inherit; padding: .4rem .8rem; margin: .2rem 0 }
            td { padding: .2rem 1rem .2rem 0 }
            </style></head>
            <body><h1>\(escaped(title))</h1>
            \(body)
            </body></html>
            """
        return Response(status: status, headers: ["Content-Type": "text/html; charset=utf-8"], body: Data(html.utf8))
    }

    static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "\"", with: "&quot;")
            .replacingOccurrences(of: "<", with: "&lt;").replacingOccurrences(of: ">", with: "&gt;")
    }
}
