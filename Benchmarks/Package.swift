// swift-tools-version:6.2
import PackageDescription

// Measures and stresses a server from outside, over HTTP: `make bench` and `make chaos`. Nothing else depends on it.
let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "gatehouse-benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        // Loaded into the server under valgrind.
        .library(name: "ValgrindMainThread", type: .dynamic, targets: ["ValgrindMainThread"])
    ],
    dependencies: [
        .package(name: "gatehouse", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
    ],
    targets: [
        .systemLibrary(name: "CEpoll"),
        .target(name: "ValgrindMainThread"),
        .target(
            name: "LoadGenerator",
            dependencies: [
                "CEpoll",
                .product(name: "GatehouseWire", package: "gatehouse"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "gatehouse-bench",
            dependencies: [
                "LoadGenerator",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GatehouseWire", package: "gatehouse"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "gamebase-bench",
            dependencies: [
                "LoadGenerator",
                .product(name: "Gamebase", package: "gatehouse"),
                .product(name: "Gatehouse", package: "gatehouse"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "gatehouse-chaos",
            dependencies: [
                "LoadGenerator",
                .product(name: "GatehouseWire", package: "gatehouse"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swiftSettings
        ),
    ],
    swiftLanguageModes: [.v6]
)
