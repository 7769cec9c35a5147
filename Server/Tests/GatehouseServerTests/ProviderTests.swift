import FakeProviders
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct ProviderTests {
    @Test("LOGIN-7: what each provider's library hands to a game leads to one member, and each player to another")
    func credentials() async throws {
        try await TestServer.open(on: .sqlite) { server in
            for provider in FakeProviders.names {
                var users: [UserID] = []
                for name in ["alice", "alice", "bob"] {
                    let answer = try await server.call(
                        Endpoints.logIn, server.idps.credential(provider, for: name), by: TestDevice())
                    #expect(answer.status == 200, "\(provider): \(answer.text)")
                    users.append(try answer.decoded(as: Login.self).member.userId)
                }
                #expect(users[0] == users[1])
                #expect(users[0] != users[2])
            }
        }
    }

    @Test("LOGIN-2: a credential without its token is 3202, and a refused one 401 and 3201, which doesn't repeat it")
    func refused() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            for body in [#"{"provider":"google"}"#, #"{"provider":"twitch","accessToken":"t"}"#] {
                #expect(try await server.send(.post, Endpoints.logIn.template, by: device, body: body).code == 3202)
            }
            // The server's own token is none of Google's.
            let own = try await server.guest(device).session.accessToken.secretValue
            for token in ["", "a.b.c", own] {
                let body = #"{"provider":"google","idToken":"\#(token)"}"#
                let answer = try await server.send(.post, Endpoints.logIn.template, by: device, body: body)
                #expect(answer.status == 401 && answer.code == 3201)
                #expect(token.isEmpty || !answer.text.contains(token))
            }
            #expect(try await server.rowCounts()[0] == 1)
        }
    }

    @Test("IDP-13: a provider that can't be asked is 502 and 8002, and the log says why, which the player is not told")
    func unavailable() async throws {
        let journal = LogJournal()
        try await TestServer.open(on: .sqlite, journal: journal) { server in
            server.idps.set(.down, for: .studio)
            let credential = try server.idps.credential(.studio, for: "alice")
            let answer = try await server.call(Endpoints.logIn, credential, by: TestDevice())
            #expect(answer.status == 502 && answer.code == 8002)
            #expect(answer.reason == "provider_unavailable")
            #expect(!answer.text.contains("503"))
            let line = try #require(journal.lines.first { $0.contains("can't be asked") })
            for part in ["127.0.0.1", "studio", "game", "503"] { #expect(line.contains(part), "\(line)") }
            #expect(!line.contains(credential.idToken?.secretValue ?? "none"))
            #expect(try await server.logIn(.google, "alice").login.provider == .google)
        }
    }
}
