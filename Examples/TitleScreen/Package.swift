// swift-tools-version:6.2
import PackageDescription

// A title screen like that of games written for Gamebase: the flow chart of its guides, in Swift 5.
let package = Package(
    name: "title-screen",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "TitleScreenFlow", targets: ["TitleScreenFlow"])],
    dependencies: [.package(name: "gatehouse", path: "../..")],
    targets: [
        .target(
            name: "TitleScreenFlow", dependencies: [.product(name: "Gamebase", package: "gatehouse")],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "TitleScreen",
            dependencies: ["TitleScreenFlow", .product(name: "Gatehouse", package: "gatehouse")],
            swiftSettings: [.swiftLanguageMode(.v5)]),
    ]
)
