// swift-tools-version:6.2
import PackageDescription

// The tutorial "Write the first unit test" as its reader has it: the game and its tests are two modules of a package that depends on
// Gatehouse. The files are links to the tutorial's own.
let package = Package(
    name: "tutorial",
    platforms: [.iOS(.v16), .macOS(.v13)],
    dependencies: [.package(name: "gatehouse", path: "../..")],
    targets: [
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
