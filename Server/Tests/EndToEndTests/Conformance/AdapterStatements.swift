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

        @Test(
            "K977 K978 K985 K1016 K1023 O643 a login ends with the code of its adapter, and has the library's own (ERROR-2)",
            arguments: Engine.ofDoors)
        func library(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                for code in [
                    TCGB_ERROR_AUTH_EXTERNAL_LIBRARY_INITIALIZATION_ERROR, TCGB_ERROR_AUTH_EXTERNAL_LIBRARY_ERROR,
                    TCGB_ERROR_AUTH_IDP_LOGIN_EXTERNAL_AUTHENTICATION_REQUIRED,
                ] {
                    let error = try await Self.logIn(game, Self.error(code, Self.library))
                    #expect(error.code == code)
                    #expect(SeedGame().detailOfError(error) == (304, "no key hash"))
                    #expect(try #require(SeedGame().moduleError(of: error)) == (304, "no key hash"))
                }
                // Some codes of a login have counterparts of a mapping's.
                for (login, mapping) in [
                    (
                        TCGB_ERROR_AUTH_EXTERNAL_LIBRARY_INITIALIZATION_ERROR,
                        TCGB_ERROR_AUTH_EXTERNAL_LIBRARY_INITIALIZATION_ERROR
                    ),
                    (
                        TCGB_ERROR_AUTH_IDP_LOGIN_EXTERNAL_AUTHENTICATION_REQUIRED,
                        TCGB_ERROR_AUTH_IDP_LOGIN_EXTERNAL_AUTHENTICATION_REQUIRED
                    ),
                    (TCGB_ERROR_AUTH_IDP_LOGIN_FAILED, TCGB_ERROR_AUTH_ADD_MAPPING_FAILED),
                    (TCGB_ERROR_AUTH_IDP_LOGIN_INVALID_IDP_INFO, TCGB_ERROR_AUTH_ADD_MAPPING_INVALID_IDP_INFO),
                    (TCGB_ERROR_AUTH_USER_CANCELED, TCGB_ERROR_AUTH_USER_CANCELED),
                ] {
                    #expect(await Self.map(game, Self.error(login)) == mapping)
                }
                for code in [-1, 0, 7, 3_006, 2_147_483_648] {
                    let library = NSError(domain: "FBSDK", code: code)
                    let error = try await Self.logIn(game, .error(error: library, transactionId: nil))
                    #expect((error.code, error.detailErrorCode()) == (TCGB_ERROR_AUTH_EXTERNAL_LIBRARY_ERROR, code))
                }
            }
        }

        @Test("K1020 description is the whole error as JSON", arguments: Engine.ofDoors)
        func description(engine: Engine) async throws {
            try await Game.play(on: engine) { game in
                let error = try await Self.logIn(game, .error(error: Self.library, transactionId: nil))
                let all: JSONValue = [
                    "domain": "TCGBGamebase", "code": 3_009, "message": .string(error.message),
                    "error": ["domain": "FBSDK", "code": 304, "message": "no key hash"],
                ]
                #expect(try Self.json(error.description) == all)
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
    }
}
