import GatehousePlatform
import GatehouseServerWire
import GatehouseWire

/// Code that makes an app's first player, or checks who it is, with the app's real id and address. It has no secret: the program
/// reads the app's key from its environment.
enum StartCode: String, CaseIterable {
    case swift, kotlin, csharp, curl

    /// A language is called by its name everywhere.
    var name: String {
        switch self {
        case .swift: "Swift"
        case .kotlin: "Kotlin"
        case .csharp: "C#"
        case .curl: "curl"
        }
    }

    /// Whether it belongs into the game; the others are a game server's.
    var isOfGame: Bool { self == .swift }

    /// - Parameters:
    ///   - app: of letters that mean nothing in any of these languages (INP-6).
    ///   - address: where players reach the server. An address with other letters than addresses have is left out.
    func text(app: AppID, address: String) -> String {
        let isPlain = address.utf8.allSatisfy { Self.letters.contains($0) }
        let address = isPlain && !address.isEmpty ? address : "https://login.example.com"
        return switch self {
        case .swift: Self.swift(app, address)
        case .kotlin: Self.kotlin(app, address)
        case .csharp: Self.csharp(app, address)
        case .curl: Self.curl(app, address)
        }
    }

    private static let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:/.-_[]".utf8)

    /// `scripts/check-doc-code` compiles it.
    private static func swift(_ app: AppID, _ address: String) -> String {
        """
        import Foundation
        import Gatehouse

        let gatehouse = GatehouseClient(
            .init(appID: "\(app)", serverURL: URL(string: "\(address)")!))
        try await gatehouse.start()
        do {
            try await gatehouse.logInWithLastProvider()
        } catch {
            guard error.code == .authTokenLoginInvalidLastLoggedInIDP else { throw error }
            try await gatehouse.logIn(with: .guest)
        }
        print(gatehouse.userID!, try await gatehouse.validAccessToken().secretValue)
        """
    }

    private static func kotlin(_ app: AppID, _ address: String) -> String {
        """
        import java.net.URI
        import java.net.http.HttpClient
        import java.net.http.HttpRequest
        import java.net.http.HttpResponse

        val http: HttpClient = HttpClient.newHttpClient()

        /** Returns the claims of a valid access token as JSON, and null for any other token. */
        fun player(accessToken: String): String? {
            if (!accessToken.matches(Regex("[A-Za-z0-9._-]+"))) return null
            val request = HttpRequest.newBuilder(URI("\(address)\(path(app))"))
                .header("X-Secret-Key", System.getenv("GATEHOUSE_SECRET_KEY"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(\"""{"accessToken": "$accessToken"}\"""))
                .build()
            val answer = http.send(request, HttpResponse.BodyHandlers.ofString())
            return when (answer.statusCode()) {
                200 -> answer.body()
                401 -> null
                else -> error(answer.body())
            }
        }
        """
    }

    private static func csharp(_ app: AppID, _ address: String) -> String {
        """
        using System.Net;
        using System.Net.Http.Json;

        var http = new HttpClient();
        http.DefaultRequestHeaders.Add(
            "X-Secret-Key", Environment.GetEnvironmentVariable("GATEHOUSE_SECRET_KEY"));

        // Returns the claims of a valid access token as JSON, and null for any other token.
        async Task<string?> Player(string accessToken)
        {
            var answer = await http.PostAsJsonAsync(
                "\(address)\(path(app))", new { accessToken });
            if (answer.StatusCode == HttpStatusCode.Unauthorized) return null;
            answer.EnsureSuccessStatusCode();
            return await answer.Content.ReadAsStringAsync();
        }
        """
    }

    private static func curl(_ app: AppID, _ address: String) -> String {
        """
        # Whose access token is this?
        curl --fail-with-body -H "X-Secret-Key: $GATEHOUSE_SECRET_KEY" \\
             -H 'Content-Type: application/json' -d '{"accessToken": "'"$TOKEN"'"}' \\
             \(address)\(path(app))

        # Who is this member?
        curl --fail-with-body -H "X-Secret-Key: $GATEHOUSE_SECRET_KEY" \\
             \(address)/tcgb-member/v1.3/apps/\(app)/members/$MEMBER
        """
    }

    private static func path(_ app: AppID) -> String {
        Endpoints.checkToken.template.substituting("{appId}", by: app.rawValue)
    }
}
