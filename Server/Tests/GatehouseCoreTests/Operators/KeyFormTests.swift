import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What owners do with an app's signing keys and secret keys.
@Suite struct KeyFormTests {
    /// Runs a test as an owner, with what the owner sees.
    private static func open(_ test: @Sendable (TestCore, Caller, OperatorContext) async throws -> Void) async throws {
        try await TestCore.open { core in
            let caller = core.operator(try #require(try await core.person().live).person, as: .owner)
            try await test(core, caller, try await OperatorForm.context(of: caller))
        }
    }

    private static func secret(_ texts: [String: String], _ view: OperatorContext) throws -> CreateSecret {
        try CreateSecret(on: .secrets, OperatorForm.values(texts), view)
    }

    @Test("UI-KEY-1, UI-KEY-2: a new signing key joins the others, and one that replaces them counts what ends")
    func signingKeys() async throws {
        try await Self.open { core, caller, _ in
            let alice = try await core.player("alice")
            let rotate = RotateSigningKey(on: .signingKeys)
            #expect(try await !caller.run(ReadPreview(of: rotate)).isDangerous)
            try await caller.run(rotate)
            #expect(try await caller.run(ListSigningKeys()).map(\.state) == [.published, .signs])

            let replace = ReplaceSigningKeys(on: .signingKeys)
            let preview = try await caller.run(ReadPreview(of: replace))
            #expect(preview.isDangerous && preview.typed == "game")
            #expect(
                preview.consequences.prefix(2) == [
                    Phrase("keys.revoke-what", ["count": .count(2)]), Phrase("kick-out.live", ["count": .count(1)]),
                ])
            let id = try await caller.run(replace)
            #expect(try await caller.run(ListSigningKeys()).map(\.id) == [id])
            // The token's key is gone, and the session goes on with a new token.
            #expect(try await !alice.isLoggedIn)
            try await alice.device.holder(of: alice.login.session.refreshToken).run(RefreshSession())
            var lower = caller
            lower.actor.role = .operator
            #expect(await code { try await lower.run(ReadPreview(of: replace)) } == .userPermission)
            #expect(await code { try await lower.run(replace) } == .userPermission)
        }
    }

    @Test("The form of a secret key asks for a name and rights, which an additional key must have")
    func form() async throws {
        try await Self.open { core, caller, view in
            let fields = try await OperatorForm.fields(CreateSecret.self, on: .secrets, by: caller)
            #expect(
                fields.map(\.name) == [
                    "kind", "name", "scope.check", "scope.moderate", "scope.erase", "scope.profile", "scope.migrate",
                ])
            #expect(fields.first?.value == "own" && fields.allSatisfy { !$0.isRequired })
            func problems(_ texts: [String: String]) async -> Set<String> {
                await OperatorForm.problems { _ = try Self.secret(texts, view) }
            }
            #expect(await problems([:]) == ["kind", "name", "scope.check"])
            #expect(await problems(["kind": "named"]) == ["name", "scope.check"])
            #expect(await problems(["kind": "named", "name": "queue"]) == ["scope.check"])
            let long = String(repeating: "x", count: 65)
            #expect(await problems(["kind": "named", "name": long, "scope.erase": "on"]) == ["name"])
            // Name and rights are not those of the app's own key.
            #expect(try Self.secret(["kind": "own", "name": long], view).additional == nil)
        }
    }

    @Test("UI-SEC-1: a secret key is shown with its result, and a third own one says which it ends")
    func create() async throws {
        try await Self.open { core, caller, view in
            let own = try Self.secret(["kind": "own"], view)
            let first = try #require(try await caller.run(ListSecrets()).first)
            let stays = Phrase("secrets.stays", ["id": .text(first.label)])
            var preview = try await caller.run(ReadPreview(of: own))
            #expect(preview.consequences == ["secrets.new-own", stays, "secrets.shown-once"] && !preview.isDangerous)
            let key = try await caller.run(own)
            #expect(CreateSecret.result(key).secrets.map(\.text) == [key.secretValue])
            #expect(try await caller.run(CheckSecret(secret: key)))

            core.services.secretUses.note(first, of: TestCore.app, from: .unknown, at: core.clock.now)
            try await core.services.secretUses.write(to: core.database)
            preview = try await caller.run(ReadPreview(of: own))
            #expect(preview.isDangerous)
            #expect(
                preview.consequences[2...3] == [
                    Phrase("secrets.ends", ["id": .text(first.label)]),
                    Phrase("secrets.in-use", ["id": .text(first.label), "when": .distance(core.clock.now)]),
                ])

            let named = try Self.secret(["kind": "named", "name": "queue", "scope.check": "on"], view)
            preview = try await caller.run(ReadPreview(of: named))
            #expect(
                preview.consequences.first
                    == Phrase("secrets.new-named", ["name": .text("queue"), "scopes": .list(["scope.check"])]))
            for _ in 0..<SecretRules.maximumNamed { try await caller.run(named) }
            #expect(try await caller.run(ListSecrets()).first?.scopes == [.check])
            #expect(await OperatorForm.problems { _ = try await caller.run(ReadPreview(of: named)) } == ["name"])
        }
    }

    @Test("UI-SEC-2: who ends a secret key types its id, and the last one with every right stays")
    func revoke() async throws {
        try await Self.open { core, caller, view in
            func revoke(_ id: String?) throws -> RevokeSecret {
                try RevokeSecret(on: .secrets, OperatorForm.values(id.map { ["key": $0] } ?? [:]), view)
            }
            func obstacle<A: OperatorAction>(to action: A) async -> Phrase? {
                let found = await OperatorForm.impossible { _ = try await caller.run(ReadPreview(of: action)) }
                #expect(found == nil || found?.parameter == "key")
                return found?.phrase
            }
            let former = try #require(try await caller.run(ListSecrets()).first)
            #expect(await obstacle(to: try revoke(nil)) == "secrets.unknown")
            #expect(await obstacle(to: try revoke(former.id)) == "secrets.only")
            #expect(await obstacle(to: RevokeOldSecrets(on: .secrets)) == "secrets.only")

            try await caller.run(CreateSecret())
            try await caller.run(CreateSecret(name: "queue", scopes: [.check]))
            let preview = try await caller.run(ReadPreview(of: try revoke(former.id)))
            let ownFormer = Phrase.Value.phrase("secrets.own-former")
            #expect(preview.title == Phrase("secrets.revoke-title", ["id": .text(former.label), "name": ownFormer]))
            #expect(preview.isDangerous && preview.typed == former.id)
            #expect(preview.consequences.last == Phrase("secrets.unused", ["id": .text(former.label)]))

            let old = RevokeOldSecrets(on: .secrets)
            #expect(try await caller.run(ReadPreview(of: old)).typed == former.id)
            #expect(try await caller.run(old) == 1)
            let named = try #require(try await caller.run(ListSecrets()).first)
            #expect(named.name == "queue")
            try await caller.run(try revoke(named.id))
            #expect(try await caller.run(ListSecrets()).map(\.name) == [nil])
        }
    }
}
