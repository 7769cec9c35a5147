import FakeProviders
import GatehouseServer
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// The calls of mappings. Their rules are proven in `MappingActionTests`.
@Suite struct MappingTests {
    @Test(
        "MAP-1, MAP-5: a mapping needs a login, a configured provider and a credential that its provider stands behind")
    func refusals() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let player = try await server.guestPlayer()
            let before = try await server.rowCounts()
            let call = { (credential: Credential) in try await server.call(Endpoints.addMapping, credential, by: player)
            }
            #expect(try await call(Credential(provider: Provider("twitch"), idToken: "a.b.c")).code == 3304)
            #expect(try await call(Credential(provider: .google)).code == 3304)
            #expect(try await call(Credential(provider: .google, accessToken: "token")).code == 3301)
            let other = try server.idps.idToken(.apple, for: "alice")
            let wrong = try await call(Credential(provider: .google, idToken: other))
            #expect(wrong.code == 3301)
            #expect(wrong.reason == "credential_rejected")
            let without = try await server.send(
                .post, Endpoints.addMapping.template, by: player.device,
                body: TestServer.json(server.credential(.google, "alice")))
            #expect(without.code == 2)
            #expect(try await server.rowCounts() == before)
        }
    }

    @Test(
        "MAP-4, MAP-6, MAP-8: a guest maps an identity, takes one of another member by a ticket, and removes one",
        arguments: Engine.ofDoors)
    func walk(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let guest = try await server.guestPlayer()
            let change = try await server.map(.facebook, "bob", to: guest).decoded(as: MappingChange.self)
            #expect(change.provider == .facebook)
            let token = try #require(change.session).accessToken
            #expect(try await server.checkToken(token).decoded(as: TokenCheck.self).provider == .facebook)

            let other = try await server.logIn(.google, "alice")
            let ticket = try await server.ticket(.google, "alice", for: guest)
            #expect(ticket.mappedUserId == other.user)
            #expect(ticket.mappedMember.providers == [.google])
            let forced = try await server.call(Endpoints.forceMapping, TicketUse(ticket), by: guest)
            let member = try forced.decoded(as: MappingChange.self).member
            #expect(member.userId == guest.user)
            #expect(member.mappings.map(\.provider) == [.facebook, .google])
            #expect(try await server.call(Endpoints.forceMapping, TicketUse(ticket), by: guest).code == 3312)
            #expect(try await server.member(other.device, other.access).reason == "identity_removed")

            let removal = MappingRemoval(provider: .google)
            let removed = try await server.call(Endpoints.removeMapping, removal, by: guest)
            #expect(try removed.decoded(as: MappingChange.self).member.mappings.map(\.provider) == [.facebook])
        }
    }

    @Test("MAP-7: a ticket logs in as the other member instead", arguments: Engine.ofDoors)
    func changeLogin(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let other = try await server.logIn(.google, "alice")
            let guest = try await server.guestPlayer()
            let ticket = try await server.ticket(.google, "alice", for: guest)
            let login = try await server.call(Endpoints.changeLogin, TicketUse(ticket), by: guest)
                .decoded(as: Login.self)
            #expect(login.member.userId == other.user)
            #expect(login.provider == .google)
            #expect(try await server.member(guest.device, login.session.accessToken).status == 200)
        }
    }
}
