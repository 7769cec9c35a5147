// swift-tools-version:6.2
import PackageDescription

// The server and its command, which operators run. Games never resolve this package.
let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "gatehouse-server",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "gatehouse", targets: ["gatehouse"]),
        // For a game's own tests.
        .library(name: "FakeProviders", targets: ["FakeProviders"]),
        // For a game's server in Swift.
        .library(name: "GatehouseServerWire", targets: ["GatehouseServerWire"]),
    ],
    traits: [
        .default(enabledTraits: ["Player"]),
        .trait(
            name: "Player",
            description: "`gatehouse play` and `gatehouse request`: the SDK, and with it libcurl, in the command."),
    ],
    dependencies: [
        .package(name: "gatehouse", path: ".."),
        // For tests: a game.
        .package(path: "../Examples/TitleScreen"),
        // For tests: a game server.
        .package(name: "check-tokens", path: "../Examples/servers/swift"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.11.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.11.0"),
        // For `gatehouse conformance`: it runs the clients that it judges.
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.0"),
    ],
    targets: [
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        // Style sheets, words, the manual and the OpenAPI document, compiled in.
        .target(name: "CEmbeddedFiles", exclude: ["openapi.json"]),
        // FoundationEssentials, and what would otherwise come from Foundation with all languages' data: docs/contributing/decisions.md.
        .target(name: "GatehousePlatform", swiftSettings: swiftSettings),
        .target(
            name: "GatehouseStorage", dependencies: ["CLibPQ", "CSQLite", "GatehousePlatform"],
            swiftSettings: swiftSettings),
        // What only game servers say; a game's client does not see it.
        .target(
            name: "GatehouseServerWire", dependencies: [.product(name: "GatehouseWire", package: "gatehouse")],
            swiftSettings: swiftSettings),
        // One parser, one value and one writer of JSON.
        .target(
            name: "GatehouseJSON",
            dependencies: ["GatehousePlatform", .product(name: "GatehouseWire", package: "gatehouse")],
            swiftSettings: swiftSettings),
        // Time, randomness, refusals, keys, sealing, signatures, passwords: no SQL and no HTTP server.
        .target(
            name: "GatehouseSecurity",
            dependencies: [
                "GatehouseJSON",
                "GatehousePlatform",
                .product(name: "GatehouseWire", package: "gatehouse"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: swiftSettings
        ),
        // Identity providers, a file for each: no database, no app and no HTTP server.
        .target(
            name: "GatehouseProviders",
            dependencies: [
                "GatehouseJSON",
                "GatehousePlatform",
                "GatehouseSecurity",
                .product(name: "GatehouseWire", package: "gatehouse"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: swiftSettings
        ),
        // Players of other systems, as a neutral record: no database and no network.
        .target(
            name: "GatehouseImport",
            dependencies: [
                "GatehouseJSON",
                "GatehousePlatform",
                .product(name: "GatehouseWire", package: "gatehouse"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: swiftSettings
        ),
        // Accounts, features, actions and events: no HTTP and no sockets. What doors may reach is `package`; rules, queries and
        // transactions are internal.
        .target(
            name: "GatehouseCore",
            dependencies: [
                "GatehouseImport",
                "GatehouseJSON",
                "GatehousePlatform",
                "GatehouseProviders",
                "GatehouseSecurity",
                "GatehouseServerWire",
                "GatehouseStorage",
                .product(name: "GatehouseWire", package: "gatehouse"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: swiftSettings
        ),
        // Typed HTML: elements, attributes, and text that is escaped when it is written.
        .target(name: "GatehouseHTML", swiftSettings: swiftSettings),
        // What all pages share, wherever they stand: the style sheet with its tokens, and the frame of a plain page.
        .target(
            name: "GatehouseLook",
            dependencies: [
                "CEmbeddedFiles", "GatehouseHTML", "GatehousePlatform",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            exclude: ["look.css", "pages.css"], swiftSettings: swiftSettings),
        // The operator console: pages over actions, and no rule.
        .target(
            name: "GatehouseConsole",
            dependencies: [
                "GatehouseCore",
                "GatehouseHTML",
                "GatehouseJSON",
                "GatehouseLook",
                "GatehousePlatform",
                "GatehouseProviders",
                "GatehouseSecurity",
                "GatehouseServerWire",
                .product(name: "GatehouseWire", package: "gatehouse"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
            ],
            exclude: ["Web"],
            swiftSettings: swiftSettings
        ),
        // The doors, and what is around them: connections, metrics, services.
        .target(
            name: "GatehouseServer",
            dependencies: [
                "GatehouseConsole",
                "GatehouseCore",
                "GatehouseHTML",
                "GatehouseJSON",
                "GatehouseLook",
                "GatehousePlatform",
                "GatehouseProviders",
                "GatehouseSecurity",
                "GatehouseServerWire",
                "GatehouseStorage",
                .product(name: "GatehouseWire", package: "gatehouse"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: swiftSettings
        ),
        // Identity providers for development and tests: they sign real tokens.
        .target(
            name: "FakeProviders",
            dependencies: [
                "GatehouseHTML",
                "GatehouseLook",
                "GatehousePlatform",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "GatehouseWire", package: "gatehouse"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "gatehouse",
            dependencies: [
                "FakeProviders",
                "GatehouseImport",
                "GatehouseJSON",
                "GatehousePlatform",
                "GatehouseProviders",
                "GatehouseSecurity",
                "GatehouseCore",
                "GatehouseConsole",
                "GatehouseServer",
                "GatehouseServerWire",
                "GatehouseStorage",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Gatehouse", package: "gatehouse", condition: .when(traits: ["Player"])),
                .product(name: "GatehouseWire", package: "gatehouse"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: swiftSettings
        ),
        // Databases for tests: every test of storage runs on both engines.
        .target(
            name: "TestDatabases", dependencies: ["CLibPQ", "GatehouseStorage"], path: "Tests/TestDatabases",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "GatehouseServerWireTests",
            dependencies: ["GatehouseServerWire", .product(name: "GatehouseWire", package: "gatehouse")],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "GatehouseStorageTests", dependencies: ["GatehouseStorage", "TestDatabases"],
            swiftSettings: swiftSettings
        ),
        .testTarget(name: "GatehousePlatformTests", dependencies: ["GatehousePlatform"], swiftSettings: swiftSettings),
        // What is parsed and verified before anybody is known: JSON, proofs, addresses, headers.
        .testTarget(
            name: "GatehouseSecurityTests",
            dependencies: [
                "GatehouseJSON",
                "GatehousePlatform",
                "GatehouseSecurity",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GatehouseWire", package: "gatehouse"),
            ],
            swiftSettings: swiftSettings
        ),
        // The console's parts that need no server: HTML, words, times, forms, pictures.
        .testTarget(
            name: "GatehouseConsoleTests",
            dependencies: [
                "GatehouseConsole",
                "GatehouseCore",
                "GatehouseHTML",
                "GatehouseLook",
                "GatehouseSecurity",
                .product(name: "GatehouseWire", package: "gatehouse"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
            ],
            swiftSettings: swiftSettings
        ),
        // What every table's queries do, on every engine, without a server.
        .testTarget(
            name: "QueryTests",
            dependencies: [
                "GatehouseProviders",
                "GatehouseSecurity",
                "GatehouseCore",
                "GatehouseServerWire",
                "GatehouseStorage",
                "TestDatabases",
                .product(name: "GatehouseWire", package: "gatehouse"),
            ],
            swiftSettings: swiftSettings
        ),
        // Verifiers of credentials against the fake world, without a server.
        .testTarget(
            name: "GatehouseProvidersTests",
            dependencies: [
                "FakeProviders",
                "GatehouseJSON",
                "GatehousePlatform",
                "GatehouseProviders",
                "GatehouseSecurity",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "GatehouseWire", package: "gatehouse"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: swiftSettings
        ),
        // Files of other systems, and the neutral files that are made of them.
        .testTarget(
            name: "GatehouseImportTests",
            dependencies: [
                "GatehouseImport",
                "GatehouseJSON",
                "GatehousePlatform",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GatehouseWire", package: "gatehouse"),
            ],
            exclude: ["Fixtures"],
            swiftSettings: swiftSettings
        ),
        // Rules, actions and events on a database in a file, without a server.
        .testTarget(
            name: "GatehouseCoreTests",
            dependencies: [
                "FakeProviders",
                "GatehouseCore",
                "GatehouseImport",
                "GatehouseJSON",
                "GatehouseProviders",
                "GatehouseSecurity",
                "GatehouseServerWire",
                "GatehouseStorage",
                "TestDatabases",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GatehouseWire", package: "gatehouse"),
            ],
            exclude: ["Fixtures"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "GatehouseServerTests",
            dependencies: [
                "FakeProviders",
                "GatehouseConsole",
                "GatehouseHTML",
                "GatehouseJSON",
                "GatehouseLook",
                "GatehousePlatform",
                "GatehouseProviders",
                "GatehouseSecurity",
                "GatehouseCore",
                "GatehouseServer",
                "GatehouseServerWire",
                "GatehouseStorage",
                "TestDatabases",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GatehouseWire", package: "gatehouse"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings
        ),
        // For tests: games that were written for Gamebase, in Swift 5.
        .target(
            name: "SeedExamples", dependencies: [.product(name: "Gamebase", package: "gatehouse")],
            path: "Tests/SeedExamples", swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "FakeProviders",
                "SeedExamples",
                .product(name: "Gamebase", package: "gatehouse"),
                .product(name: "TitleScreenFlow", package: "TitleScreen"),
                .product(name: "check-tokens", package: "check-tokens"),
                .product(name: "game-server", package: "check-tokens"),
                .product(name: "hummingbird-server", package: "check-tokens"),
                "gatehouse",
                "GatehouseJSON",
                "GatehouseProviders",
                "GatehouseSecurity",
                "GatehouseCore",
                "GatehouseServer",
                "GatehouseServerWire",
                "GatehouseStorage",
                "TestDatabases",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Gatehouse", package: "gatehouse"),
                .product(name: "GatehouseTesting", package: "gatehouse"),
                .product(name: "GatehouseWire", package: "gatehouse"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            exclude: ["Fixtures", "TLS"],
            swiftSettings: swiftSettings
        ),
    ],
    swiftLanguageModes: [.v6]
)
