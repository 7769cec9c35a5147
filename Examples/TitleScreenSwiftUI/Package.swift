// swift-tools-version:6.2
import PackageDescription

// A game's title screen and account page in SwiftUI. What they decide is in TitleScreenModel, which has no view and is tested on every
// system; TitleScreenViews is empty where there is no SwiftUI.
let package = Package(
    name: "title-screen-swiftui",
    defaultLocalization: "en",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [.library(name: "TitleScreenViews", targets: ["TitleScreenViews"])],
    dependencies: [.package(name: "gatehouse", path: "../..")],
    targets: [
        .target(name: "TitleScreenModel", dependencies: [.product(name: "Gatehouse", package: "gatehouse")]),
        .target(
            name: "TitleScreenViews",
            dependencies: ["TitleScreenModel", .product(name: "Gatehouse", package: "gatehouse")],
            resources: [.process("Resources")]),
        .testTarget(
            name: "TitleScreenModelTests",
            dependencies: [
                "TitleScreenModel", .product(name: "Gatehouse", package: "gatehouse"),
                .product(name: "GatehouseTesting", package: "gatehouse"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
