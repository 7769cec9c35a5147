import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseServer
import GatehouseTesting
import GatehouseWire
import SeedExamples
import TestDatabases
import Testing

extension GamebaseTests.Conformance {
    /// The guides' errors of a provider's library, and their details. The library is behind an adapter of the game's own.
    @Suite @MainActor struct AdapterStatements {
        private static let library = NSError(
            domain: "FBSDK", code: 304, userInfo: [NSLocalizedDescriptionKey: "no key hash"])

        /// An error that a game's own adapter completes with.
        private static func error(_ code: Int, _ underlying: NSError? = nil) -> TCGBError {
            .result(domain: TCGBDomainGamebase, code: code, description: "own", underlyingError: underlying)
        }

        /// Starts the game on a new device, with an adapter that completes with an error.
        private static func begin(_ game: Game, _ error: TCGBError) async {
            let configuration = TCGBConfiguration.configuration(appID: LiveServer.app.rawValue, appVersion: "1.2.3")
            configuration.serverAddress = game.server.url
            configuration.configure { $0.storage = MemoryStorage() }
            configuration.addAuthAdapter(OwnAdapter(error: error))
            let failure = await GamebaseDevice.start(configuration)
            #expect(failure == nil)
        }

        /// The error that a login ends with.
        private static func logIn(_ game: Game, _ error: TCGBError) async throws -> TCGBError {
            await begin(game, error)
            return try #require(await game.logIn(kTCGBAuthGoogle).error)
        }

        /// The code that a mapping ends with.
        private static func map(_ game: Game, _ error: TCGBError) async -> Int? {
            await begin(game, error)
            await game.user(by: kTCGBAuthGuest)
            return await game.map(kTCGBAuthGoogle).code
        }

        @Test("K977 3006: a provider's library that does not start", arguments: Engine.ofDoors)
        func libraryStart(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let code = TCGB_ERROR_AUTH_EXTERNAL_LIBRARY_INITIALIZATION_ERROR
                let error = try await Self.logIn(game, Self.error(code, Self.library))
                #expect(error.code == code)
                #expect(SeedGame().detailOfError(error) == (304, "no key hash"))
                #expect(await Self.map(game, Self.error(code)) == code)
            }
        }

        @Test("K978 3009: an error of a provider's library, with its own code (ERROR-2)", arguments: Engine.ofDoors)
        func libraryError(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let own = TCGB_ERROR_AUTH_EXTERNAL_LIBRARY_ERROR
                for error in [Self.error(own, Self.library), .error(error: Self.library, transactionId: nil)] {
                    let error = try await Self.logIn(game, error)
                    #expect(error.code == own)
                    #expect(error.detailErrorCode() == 304)
                }
                // An adapter can't know of a ban: the number is the library's.
                let error = try await Self.logIn(game, Self.error(TCGB_ERROR_BANNED_MEMBER))
                #expect((error.code, error.detailErrorCode()) == (own, TCGB_ERROR_BANNED_MEMBER))
            }
        }

        @Test("K985 3203: the player has to log in at the provider first", arguments: Engine.ofDoors)
        func externalLogin(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let code = TCGB_ERROR_AUTH_IDP_LOGIN_EXTERNAL_AUTHENTICATION_REQUIRED
                let error = try await Self.logIn(game, Self.error(code))
                #expect(error.code == code)
                #expect(await Self.map(game, Self.error(code)) == code)
                // The other codes of a login have counterparts of a mapping's.
                for (login, mapping) in [
                    (TCGB_ERROR_AUTH_IDP_LOGIN_FAILED, TCGB_ERROR_AUTH_ADD_MAPPING_FAILED),
                    (TCGB_ERROR_AUTH_IDP_LOGIN_INVALID_IDP_INFO, TCGB_ERROR_AUTH_ADD_MAPPING_INVALID_IDP_INFO),
                    (TCGB_ERROR_AUTH_USER_CANCELED, TCGB_ERROR_AUTH_USER_CANCELED),
                ] {
                    let error = try await Self.logIn(game, Self.error(login))
                    #expect(error.code == login)
                    #expect(await Self.map(game, Self.error(login)) == mapping)
                }
            }
        }

        @Test("K1016 detailErrorCode and detailErrorMessage are the library's", arguments: Engine.ofDoors)
        func detail(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let error = try await Self.logIn(game, .error(error: Self.library, transactionId: nil))
                #expect(SeedGame().detailOfError(error) == (304, "no key hash"))
                // A library's own number of a player who has turned back.
                let cancelled = try await Self.logIn(game, Self.error(TCGB_ERROR_AUTH_USER_CANCELED, Self.library))
                #expect(cancelled.code == TCGB_ERROR_AUTH_USER_CANCELED)
                #expect(SeedGame().detailOfError(cancelled) == (304, "no key hash"))
            }
        }

        @Test("K1020 description is the whole error as JSON", arguments: Engine.ofDoors)
        func description(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let error = try await Self.logIn(game, .error(error: Self.library, transactionId: nil))
                let json = try Self.json(error.description)
                #expect(json["code"] == 3009)
                #expect(json["error"]?["code"] == 304)
                #expect(json["error"]?["message"] == "no key hash")
                // Games write it into their logs, so that it has no key of a ticket. What a bridge forwards has the key.
                let conflict = try await game.conflict().error
                let key = try #require(TCGBForcingMappingTicket.forcingMappingTicket(fromError: conflict))
                    .forcingMappingKey
                let (masked, whole) = (try Self.json(conflict.description), try Self.json(conflict.jsonString()))
                #expect(try Self.ticket(of: masked)["forcingMappingKey"] == "***")
                #expect(try Self.ticket(of: whole)["forcingMappingKey"] == .string(key))
                #expect(!conflict.description.contains(key))
                let part = conflict.jsonString().replacing(key, with: "***")
                #expect(try Self.json(part) == masked)
            }
        }

        private static func json(_ text: String) throws -> JSONValue {
            try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        }

        private static func ticket(of error: JSONValue) throws -> JSONValue {
            try json(try #require(error["extras"]?["forcingMappingTicket"]?.stringValue))
        }

        @Test("O643 userInfo has the library's error under NSUnderlyingErrorKey", arguments: Engine.ofDoors)
        func underlying(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let error = try await Self.logIn(game, .error(error: Self.library, transactionId: nil))
                let found = try #require(SeedGame().moduleError(of: error))
                #expect(found == (304, "no key hash"))
            }
        }

        @Test("K1023 a detail's code is the library's own, whatever number it is", arguments: Engine.ofDoors)
        func ownCodes(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                for code in [-1, 0, 7, 3_006, 2_147_483_648] {
                    let library = NSError(domain: "FBSDK", code: code)
                    let error = try await Self.logIn(game, .error(error: library, transactionId: nil))
                    #expect(error.code == TCGB_ERROR_AUTH_EXTERNAL_LIBRARY_ERROR)
                    #expect(error.detailErrorCode() == code)
                }
                // A page that the player closes has no library: the number is one of the documents' table.
                let fresh = await game.onNewDevice(action: .cancel)
                let error = try #require(await fresh.logIn(kTCGBAuthGoogle).error)
                #expect((error.code, error.detailErrorCode()) == (TCGB_ERROR_AUTH_USER_CANCELED, 1))
                let json = try Self.json(error.description)
                #expect(json["error"]?["domain"] == "GatehouseAdapter")
                #expect(json["error"]?["message"] == "The player has closed the provider's page.")
            }
        }
    }
}
