// swift-tools-version:6.2
import PackageDescription

// The libraries that games import. They depend only on swift-crypto; the server that operators run is in Server/.
let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// The privacy manifest is a resource where Xcode collects it. Elsewhere a resource would bring code that looks for a bundle.
let privacyManifest = "PrivacyInfo.xcprivacy"
#if canImport(Darwin)
let manifestResources: [Resource] = [.copy(privacyManifest)]
let manifestExcludes: [String] = []
#else
let manifestResources: [Resource] = []
let manifestExcludes = [privacyManifest]
#endif

let package = Package(
    name: "gatehouse",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .visionOS(.v1)],
    products: [
        .library(name: "Gatehouse", targets: ["Gatehouse"]),
        .library(name: "Gamebase", targets: ["Gamebase", "GamebaseObjectiveC"]),
        .library(name: "GatehouseTesting", targets: ["GatehouseTesting"]),
        .library(name: "GatehouseWire", targets: ["GatehouseWire"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0")
    ],
    targets: [
        .target(name: "GatehouseWire", swiftSettings: swiftSettings),
        .target(
            name: "Gatehouse",
            dependencies: ["GatehouseWire", .product(name: "Crypto", package: "swift-crypto")],
            exclude: manifestExcludes, resources: manifestResources,
            swiftSettings: swiftSettings
        ),
        .target(name: "Gamebase", dependencies: ["Gatehouse", "GatehouseWire"], swiftSettings: swiftSettings),
        .target(name: "GamebaseObjectiveC", dependencies: ["Gamebase"]),
        .target(name: "GatehouseTesting", dependencies: ["Gatehouse", "GatehouseWire"], swiftSettings: swiftSettings),
        .testTarget(
            name: "GatehouseWireTests", dependencies: ["GatehouseWire"], exclude: ["error-table.txt"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "GamebaseTests", dependencies: ["Gamebase", "Gatehouse", "GatehouseTesting", "GatehouseWire"],
            exclude: ["gamebase-names.txt", "guide-names.txt"], swiftSettings: swiftSettings),
        .testTarget(
            name: "GatehouseTests",
            dependencies: [
                "Gatehouse", "GatehouseTesting", "GatehouseWire", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: swiftSettings
        ),
    ],
    swiftLanguageModes: [.v6]
)
