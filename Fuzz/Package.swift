// swift-tools-version:6.2
import PackageDescription

// Feeds the parsers that see bytes from outside with made-up ones, guided by coverage (libFuzzer): `make audit ONLY=fuzz`.
// The low modules are links to the server's own folders, and so are the parsers' files: a build of the whole server with a fuzzer in
// it takes too long.
let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .unsafeFlags(["-sanitize=fuzzer"]),
]

let package = Package(
    name: "gatehouse-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
    ],
    targets: [
        .target(name: "GatehouseWire", swiftSettings: swiftSettings),
        .target(name: "GatehouseServerWire", dependencies: ["GatehouseWire"], swiftSettings: swiftSettings),
        .target(name: "GatehousePlatform", swiftSettings: swiftSettings),
        .target(name: "GatehouseJSON", dependencies: ["GatehouseWire"], swiftSettings: swiftSettings),
        .target(
            name: "GatehouseSecurity",
            dependencies: [
                "GatehouseJSON",
                "GatehousePlatform",
                "GatehouseWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "GatehouseProviders",
            dependencies: [
                "GatehouseJSON",
                "GatehousePlatform",
                "GatehouseSecurity",
                "GatehouseWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "gatehouse-fuzz",
            dependencies: [
                "GatehouseJSON",
                "GatehousePlatform",
                "GatehouseProviders",
                "GatehouseSecurity",
                "GatehouseServerWire",
                "GatehouseWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: swiftSettings,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]
        ),
    ],
    swiftLanguageModes: [.v6]
)
