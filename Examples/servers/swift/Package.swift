// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "check-tokens",
    platforms: [.macOS(.v13)],
    products: [
        .library(name: "TokenCheck", targets: ["TokenCheck"]),
        .executable(name: "check-tokens", targets: ["check-tokens"]),
        .executable(name: "game-server", targets: ["game-server"]),
        .executable(name: "hummingbird-server", targets: ["hummingbird-server"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0", traits: []),
    ],
    targets: [
        .target(name: "TokenCheck", dependencies: [.product(name: "Crypto", package: "swift-crypto")]),
        .executableTarget(name: "check-tokens", dependencies: ["TokenCheck"]),
        .executableTarget(
            name: "game-server", dependencies: ["TokenCheck", .product(name: "Hummingbird", package: "hummingbird")]),
        .executableTarget(
            name: "hummingbird-server",
            dependencies: ["TokenCheck", .product(name: "Hummingbird", package: "hummingbird")]),
    ],
    swiftLanguageModes: [.v6]
)
