// swift-tools-version:6.2
import PackageDescription

// A game's own tests with the fake identity providers: `swift test`. They depend on the server's package, and a game must not, so keep
// such tests in a separate package beside the game's.
let package = Package(
    name: "fake-world",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "gatehouse", path: "../.."),
        .package(name: "gatehouse-server", path: "../../Server"),
    ],
    targets: [
        .testTarget(
            name: "FakeWorldTests",
            dependencies: [
                .product(name: "FakeProviders", package: "gatehouse-server"),
                .product(name: "Gatehouse", package: "gatehouse"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
