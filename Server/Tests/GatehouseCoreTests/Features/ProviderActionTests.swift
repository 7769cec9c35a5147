import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// An app's identity providers: what an operator sets, and what logins with them make of it.
@Suite struct ProviderActionTests {
    private func begin(
        _ provider: Provider, _ info: [String: JSONValue]? = nil, redirect: String = "http://127.0.0.1:5000/back",
        reauthenticates: Bool? = nil, at core: TestCore
    ) async throws -> LoginAttempt {
        try await core.device("phone").caller.run(
            BeginLogin(
                request: LoginAttemptRequest(
                    provider: provider, redirectUri: redirect, additionalInfo: info, reauthenticates: reauthenticates)))
    }

    private func set(_ provider: Provider, _ settings: JSONValue, _ core: TestCore) async throws {
        try await core.operator().run(SaveIdentityProvider(provider: provider, settings: settings))
        core.clock.advance(seconds: 2)
    }

    @Test("A provider that is switched off lets nobody in, and nobody out, and is tested as it would be when it is on")
    func switchedOff() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let test = TestIdentityProvider(provider: .naver, publicURL: "https://login.example.com")
            let findings = try await core.operator().run(test)
            try await core.operator().run(DisableIdentityProvider(provider: .naver))
            core.clock.advance(seconds: 2)
            #expect(await code { try await core.player("alice") } == .authIDPLoginInvalidIDPInfo)
            #expect(await code { try await begin(.naver, at: core) } == .authIDPLoginInvalidIDPInfo)
            #expect(try await alice.isLoggedIn)
            #expect(try await core.operator().run(test).map(\.code) == findings.map(\.code))
        }
    }

    @Test("IDP-10: settings that name no audience are refused, and those of before stay")
    func settings() async throws {
        try await TestCore.open { core in
            for clients in [[], [""]] as [JSONValue] {
                let wrong: JSONValue = ["kind": "google", "clientIds": clients]
                #expect(await code { try await set(.google, wrong, core) } == .invalidParameter)
            }
            #expect(await code { try await begin(.google, at: core) } == .authIDPLoginInvalidIDPInfo)
            try await set(.google, ["kind": "google", "clientIds": ["client"]], core)
            #expect(try await begin(.google, at: core).authorizationUrl.contains("client_id=client"))
        }
    }

    @Test("LOGIN-3: what a call says of the page gets to the page, and what has no effect is named in the answer")
    func additionalInfo() async throws {
        try await TestCore.open { core in
            let attempt = try await begin(.naver, ["service_name": "Game", "key1": "value1"], at: core)
            #expect(attempt.authorizationUrl.contains("service_name=Game"))
            #expect(attempt.unusedKeys == ["key1"])
            #expect(await code { try await begin(.naver, ["service_name": 5], at: core) } == .invalidParameter)
            // What the operator has stored and is wrong is no player's mistake.
            try await core.database.transact { tx in
                var stored = try #require(try IdentityProviderQueries.providers(of: TestCore.app, in: tx)[.naver])
                stored.additionalInfo = ["service_name": 5]
                try IdentityProviderQueries.set(.naver, stored, app: TestCore.app, at: core.clock.now, in: tx)
            }
            core.clock.advance(seconds: 2)
            let refused = await refusal { try await begin(.naver, at: core) }
            #expect(refused?.code == .authIDPLoginInvalidIDPInfo)
            #expect(refused?.reason == .providerMisconfigured)
        }
    }

    @Test("LOGIN-3: a login with a browser is in the operator's region, and in the call's where it names one")
    func region() async throws {
        try await TestCore.open { core in
            let line: JSONValue = [
                "kind": "line", "additionalInfo": ["region": "japan"],
                "regions": ["japan": ["clientIds": ["jp"]], "thailand": ["clientIds": ["th"]]],
            ]
            try await set(.line, line, core)
            #expect(try await begin(.line, at: core).authorizationUrl.contains("client_id=jp"))
            let thailand = try await begin(.line, ["sub_code": "thailand"], at: core)
            #expect(thailand.authorizationUrl.contains("client_id=th"))
        }
    }

    @Test("Naver's url_scheme_ios_only is where a browser may come back to, and another provider's is not")
    func scheme() async throws {
        try await TestCore.open { core in
            let evil: [String: JSONValue] = ["url_scheme_ios_only": "evil"]
            let refused = await code { try await begin(.naver, evil, redirect: "evil://login", at: core) }
            #expect(refused == .invalidParameter)
            let own: JSONValue = [
                "kind": "naver", "clientIds": ["client"], "acceptsUnboundTokens": true,
                "additionalInfo": ["url_scheme_ios_only": "mygame"],
            ]
            try await set(.naver, own, core)
            _ = try await begin(.naver, redirect: "mygame://login", at: core)
            #expect(await code { try await begin(.naver, redirect: "mygame://other", at: core) } == .invalidParameter)
            #expect(await code { try await begin(.twitter, redirect: "mygame://login", at: core) } == .invalidParameter)
        }
    }

    @Test("LOGOUT-1: a page that can't ask for the password anew belongs into a session of its own")
    func privateSession() async throws {
        try await TestCore.open { core in
            try await set(.google, ["kind": "google", "clientIds": ["client"]], core)
            // Google's list has the account of before, which one tap lets in.
            for (provider, needed) in [(.naver, nil), (.twitter, true), (.google, true)] as [(Provider, Bool?)] {
                let anew = try await begin(provider, reauthenticates: true, at: core)
                #expect(anew.needsPrivateSession == needed, "\(provider)")
                #expect(try await begin(provider, at: core).needsPrivateSession == nil)
            }
        }
    }
}
