import FakeProviders
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct MappingTests {
    @Test(
        "MAP-1, MAP-5: a mapping needs a login, a configured provider and a credential that its provider stands behind")
    func refusals() async throws {
        try await World.open(on: .sqlite) { world in
            let player = try await world.guestPlayer()
            let before = try await world.rowCounts()
            let call = { (credential: Credential) in try await world.call(Endpoints.addMapping, credential, by: player)
            }
            #expect(try await call(Credential(provider: .guest)).code == 3305)
            #expect(try await call(Credential(provider: Provider("twitch"), idToken: "a.b.c")).code == 3304)
            #expect(try await call(Credential(provider: .google)).code == 3304)
            #expect(try await call(Credential(provider: .google, accessToken: "token")).code == 3301)
            let wrong = try await call(Credential(provider: .google, idToken: "a.b.c"))
            #expect(wrong.code == 3301)
            #expect(wrong.reason == "credential_rejected")
            let other = try world.idps.idToken(.apple, for: "alice")
            #expect(try await call(Credential(provider: .google, idToken: other)).code == 3301)
            let without = try await world.send(
                .post, Endpoints.addMapping.template, by: player.device,
                body: World.json(world.credential(.google, "alice")))
            #expect(without.code == 2)
            #expect(try await world.rowCounts() == before)
            try await world.run(DisableIdentityProvider(provider: .google))
            world.clock.advance(seconds: 1)
            #expect(try await world.map(.google, "alice", to: player).code == 3304)
        }
    }

    @Test(
        "MAP-4, LNK-5: a guest's first mapping ends its guest identity, and its session goes on under the new one",
        arguments: Engine.available)
    func upgrade(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            let answer = try await world.map(.google, "alice", to: guest)
            let change = try answer.decoded(as: MappingChange.self)
            #expect(change.member.userId == guest.user)
            #expect(change.member.mappings.map(\.provider) == [.google])
            #expect(change.provider == .google)
            let token = try #require(change.session).accessToken
            #expect(try await world.checkToken(token).decoded(as: TokenCheck.self).provider == .google)
            // The old token names the old provider, but belongs to the same session.
            #expect(try await world.checkToken(guest.access).decoded(as: TokenCheck.self).provider == .google)

            let last = try await world.logInWithLastProvider(guest.device, guest.login.session.refreshToken)
            #expect(try last.decoded(as: Login.self).provider == .google)
            // The device is a new guest now, and only Google leads to the member.
            #expect(try await world.guest(guest.device).member.userId != guest.user)
            #expect(try await world.logIn(.google, "alice").user == guest.user)
            #expect(try await world.history(guest.user) == ["member.created", "mapping.added"])
        }
    }

    @Test(
        "MAP-2: one identity of a provider for a member, whether it is the same or another", arguments: Engine.available
    )
    func sameProvider(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let player = try await world.mapped(.google, "alice", to: world.guestPlayer())
            #expect(try await world.map(.google, "alice", to: player).code == 3303)
            #expect(try await world.map(.google, "another", to: player).code == 3303)
            _ = try await world.logIn(.google, "bob")
            #expect(try await world.map(.google, "bob", to: player).code == 3303)
        }
    }

    @Test(
        "MAP-3: an identity of another member gives 3302 with a ticket and a summary of that member",
        arguments: Engine.available)
    func conflict(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let alone = try await world.logIn(.google, "alice")
            world.clock.advance(seconds: 1)
            let other = try await world.mapped(.facebook, "alice-fb", to: alone)
            world.clock.advance(seconds: 60)
            let guest = try await world.guestPlayer()
            let ticket = try await world.ticket(.google, "alice", for: guest)
            #expect(ticket.userId == guest.user)
            #expect(ticket.mappedUserId == other.user)
            #expect(ticket.mappedUserValid == .normal)
            #expect(ticket.provider == .google)
            #expect(ticket.expirationDate == world.clock.now.milliseconds + 600_000)
            #expect(ticket.mappedMember.registrationDate == other.login.member.registrationDate)
            #expect(ticket.mappedMember.providers == [.google, .facebook])
            // Nothing has moved, and the guest can continue.
            #expect(try await world.logIn(.google, "alice").user == other.user)
            #expect(try await world.member(guest.device, guest.access).status == 200)
            #expect(!(try await world.dump()).contains(ticket.forcingMappingKey.secretValue))

            _ = try await world.call(Endpoints.requestWithdrawal, Empty(), by: other)
            #expect(try await world.ticket(.google, "alice", for: guest).mappedUserValid == .pendingWithdrawal)
            _ = try await world.run(BanMembers([other.user], until: nil), reason: "cheat")
            let banned = try await world.map(.google, "alice", to: guest)
            #expect(banned.code == 7)
            let ban = banned.details?.ban
            #expect(ban?.userId == other.user)
        }
    }

    @Test(
        "MAP-6, LNK-3: a ticket moves the identity here; a member that keeps none is frozen, and an operator restores it",
        arguments: Engine.available)
    func force(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let other = try await world.logIn(.google, "alice")
            let guest = try await world.guestPlayer()
            let ticket = try await world.ticket(.google, "alice", for: guest)
            let answer = try await world.call(Endpoints.forceMapping, TicketUse(ticket), by: guest)
            let change = try answer.decoded(as: MappingChange.self)
            #expect(change.member.mappings.map(\.provider) == [.google])
            #expect(change.provider == .google)
            #expect(try await world.logIn(.google, "alice").user == guest.user)

            // The other member is frozen: it has no session and can't log in, but nothing is deleted.
            let refused = try await world.member(other.device, other.access)
            #expect(refused.code == 3011)
            #expect(refused.reason == "identity_removed")
            let report = try await world.report(other.user)
            #expect(report.member.status == .missing)
            #expect(report.formerProviders == [.google])
            #expect(report.restorableUntilDate == world.clock.now.milliseconds + 30 * 86_400_000)

            // An operator undoes it: the winner becomes the guest that it was before, on its device.
            let restoration = try await world.run(RestoreMember(user: other.user, provider: nil), reason: "asked")
            #expect(restoration.provider == .google)
            #expect(restoration.other == guest.user)
            #expect(restoration.outcome == .isGuestAgain)
            #expect(try await world.logIn(.google, "alice").user == other.user)
            #expect(try await world.guest(guest.device).member.userId == guest.user)
            #expect(try await world.report(other.user).member.status == .normal)
            #expect(
                try await world.history(other.user) == [
                    "member.created", "mapping.moved-away", "member.frozen", "member.restored",
                ])
            #expect(
                try await world.history(guest.user) == [
                    "member.created", "mapping.moved-here", "mapping.moved-away", "mapping.added",
                ])
            try await world.expectInvariants()
        }
    }

    @Test(
        "MAP-6: a restored identity leaves its holder what else it has, or frozen in turn", arguments: Engine.available)
    func restoreFromHolders(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let restore = { (user: UserID) in
                try await world.run(RestoreMember(user: user, provider: .google), reason: "asked")
            }
            // A member that has mapped another identity in the meantime.
            let first = try await world.logIn(.google, "alice")
            let holder = try await world.mapped(.apple, "holder", to: world.guestPlayer())
            var ticket = try await world.ticket(.google, "alice", for: holder)
            _ = try await world.call(Endpoints.forceMapping, TicketUse(ticket), by: holder)
            #expect(try await restore(first.user).outcome == .keepsOthers)
            #expect(try await world.logIn(.apple, "holder").user == holder.user)

            // A member whose device has created another guest since then.
            let guest = try await world.guestPlayer()
            ticket = try await world.ticket(.google, "alice", for: guest)
            _ = try await world.call(Endpoints.forceMapping, TicketUse(ticket), by: guest)
            _ = try await world.guest(guest.device)
            #expect(try await restore(first.user).outcome == .isFrozen)
            #expect(try await world.report(guest.user).member.status == .missing)
            #expect(try await restore(guest.user).other == first.user)
            try await world.expectInvariants()
        }
    }

    @Test(
        "MAP-6: a member that keeps an identity plays on; its sessions of the moved one end",
        arguments: Engine.available)
    func partialMove(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let byGoogle = try await world.mapped(.facebook, "alice-fb", to: world.logIn(.google, "alice"))
            let byFacebook = try await world.logIn(.facebook, "alice-fb")
            let guest = try await world.guestPlayer()
            let ticket = try await world.ticket(.google, "alice", for: guest)
            #expect(try await world.call(Endpoints.forceMapping, TicketUse(ticket), by: guest).status == 200)
            #expect(try await world.member(byFacebook.device, byFacebook.access).status == 200)
            #expect(try await world.member(byGoogle.device, byGoogle.access).reason == "identity_removed")
            let last = try await world.logInWithLastProvider(byGoogle.device, byGoogle.login.session.refreshToken)
            #expect(last.code == 3102)
            #expect(try await world.report(byGoogle.user).member.status == .normal)
        }
    }

    @Test(
        "MAP-6, LNK-2: tickets that don't fit are refused with their codes, and write nothing",
        arguments: Engine.available)
    func wrongTickets(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let other = try await world.logIn(.google, "alice")
            let guest = try await world.guestPlayer()
            let stranger = try await world.guestPlayer()
            let ticket = try await world.ticket(.google, "alice", for: guest)
            let key = ticket.forcingMappingKey.secretValue
            let use = { (key: String, provider: String, mapped: String, player: Player) in
                try await world.send(
                    .post, Endpoints.forceMapping.template, by: player.device, token: player.access.secretValue,
                    body: #"{"forcingMappingKey":"\#(key)","provider":"\#(provider)","mappedUserId":"\#(mapped)"}"#
                ).code
            }
            let mapped = other.user.rawValue
            let flipped = String(key.dropLast()) + (key.hasSuffix("A") ? "E" : "A")
            for wrong in ["", ".", "a.b", flipped, key + "A", String(key.dropFirst()), "\(key).\(key)"] {
                #expect(try await use(wrong, "google", mapped, guest) == 3311)
            }
            // Another member, another session of the same member, and another app.
            #expect(try await use(key, "google", mapped, stranger) == 3311)
            let again = Player(device: guest.device, login: try await world.guest(guest.device))
            #expect(try await use(key, "google", mapped, again) == 3311)
            let elsewhere = Player(
                device: guest.device, login: try await world.guest(guest.device, app: World.otherApp))
            #expect(
                try await world.call(Endpoints.forceMapping, TicketUse(ticket), by: elsewhere, app: World.otherApp).code
                    == 3311)
            #expect(try await use(key, "apple", mapped, guest) == 3314)
            #expect(try await use(key, "google", stranger.user.rawValue, guest) == 3315)
            #expect(try await world.logIn(.google, "alice").user == other.user)

            world.clock.advance(seconds: 600)
            #expect(try await use(key, "google", mapped, guest) == 3313)
            let fresh = try await world.ticket(.google, "alice", for: guest)
            #expect(try await use(fresh.forcingMappingKey.secretValue, "google", mapped, guest) == nil)
            #expect(try await use(fresh.forcingMappingKey.secretValue, "google", mapped, guest) == 3312)
            // A long expired ticket is unknown.
            world.clock.advance(seconds: 3 * 86_400)
            try await world.sweep()
            #expect(try await world.count("SELECT COUNT(*) FROM forcing_tickets") == 0)
        }
    }

    @Test("LNK-2: a ticket ends with the session that got it", arguments: Engine.available)
    func ticketAfterLogout(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            _ = try await world.logIn(.google, "alice")
            let guest = try await world.guestPlayer()
            let ticket = try await world.ticket(.google, "alice", for: guest)
            _ = try await world.logOut(guest.device, guest.login.session.refreshToken)
            #expect(try await world.call(Endpoints.forceMapping, TicketUse(ticket), by: guest).code == 3011)
            #expect(try await world.call(Endpoints.changeLogin, TicketUse(ticket), by: guest).code == 3011)
        }
    }

    @Test(
        "MAP-7, LOGIN-13: a ticket logs in as the other member instead, and the first use of that ends the login that there was",
        arguments: Engine.available)
    func changeLogin(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let other = try await world.logIn(.google, "alice")
            let guest = try await world.guestPlayer()
            let ticket = try await world.ticket(.google, "alice", for: guest)
            let answer = try await world.call(Endpoints.changeLogin, TicketUse(ticket), by: guest)
            let login = try answer.decoded(as: Login.self)
            #expect(login.member.userId == other.user)
            #expect(login.provider == .google)
            #expect(login.session.refreshToken != nil)
            #expect(try await world.member(guest.device, login.session.accessToken).status == 200)
            // A device that has lost the response continues with its session.
            #expect(try await world.member(guest.device, guest.access).status == 200)
            for _ in 0..<2 {
                #expect(try await world.refresh(guest.device, login.session.refreshToken).status == 200)
                #expect(try await world.member(guest.device, guest.access).reason == "replaced")
            }
            // The guest stays as it was for its device.
            #expect(try await world.guest(guest.device).member.userId == guest.user)
        }
    }

    @Test("MAP-7: when it fails, the login that there was stays exactly as it is", arguments: Engine.available)
    func changeLoginFails(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let other = try await world.logIn(.google, "alice")
            let guest = try await world.guestPlayer()
            let ticket = try await world.ticket(.google, "alice", for: guest)
            _ = try await world.run(BanMembers([other.user], until: nil), reason: "cheat")
            #expect(try await world.call(Endpoints.changeLogin, TicketUse(ticket), by: guest).code == 7)
            #expect(try await world.member(guest.device, guest.access).status == 200)
            // The ticket is still valid.
            _ = try await world.run(ReleaseBans(users: [other.user]), reason: "mistake")
            #expect(try await world.call(Endpoints.changeLogin, TicketUse(ticket), by: guest).status == 200)
        }
    }

    @Test("MAP-8: removal of a mapping, and the three that can't be removed", arguments: Engine.available)
    func remove(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let guest = try await world.guestPlayer()
            let remove = { (provider: Provider, player: Player) in
                try await world.call(Endpoints.removeMapping, MappingRemoval(provider: provider), by: player)
            }
            #expect(try await remove(.google, guest).code == 3401)
            #expect(try await remove(.guest, guest).code == 3402)
            let one = try await world.mapped(.google, "alice", to: guest)
            #expect(try await remove(.google, one).code == 3402)
            let two = try await world.mapped(.facebook, "alice-fb", to: one)
            #expect(try await remove(.google, two).code == 3403)
            let change = try await remove(.facebook, two).decoded(as: MappingChange.self)
            #expect(change.member.mappings.map(\.provider) == [.google])
            #expect(change.session == nil)
            #expect(try await remove(.facebook, two).code == 3401)
            // The removed identity creates a new member.
            #expect(try await world.logIn(.facebook, "alice-fb").user != two.user)
            #expect(try await world.history(two.user).last == "mapping.removed")
        }
    }
}
