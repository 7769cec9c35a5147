// swift-tools-version:6.2
import PackageDescription

// The tutorials as their reader has them, in a package that depends on Gatehouse. GameModel.swift, Entrance.swift and EntranceTests.swift are
// links to the tutorials' own files. `swift test` runs the test of *Write the first unit test*; scripts/check-tutorials plays the models of
// *Log a guest in* and *Move a guest to a new phone* against `gatehouse dev`. The model of *Link a provider* needs Apple's browser session.
let package = Package(
    name: "tutorial",
    platforms: [.iOS(.v16), .macOS(.v13)],
    dependencies: [.package(name: "gatehouse", path: "../..")],
    targets: [
        .executableTarget(name: "Guest", dependencies: [.product(name: "Gatehouse", package: "gatehouse")]),
        .executableTarget(name: "Phone", dependencies: [.product(name: "Gatehouse", package: "gatehouse")]),
        .target(name: "MyGame", dependencies: [.product(name: "Gatehouse", package: "gatehouse")]),
        .testTarget(
            name: "MyGameTests",
            dependencies: [
                "MyGame", .product(name: "Gatehouse", package: "gatehouse"),
                .product(name: "GatehouseTesting", package: "gatehouse"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
