// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "check-tokens",
    platforms: [.macOS(.v13)],
    products: [
        .library(name: "TokenCheck", targets: ["TokenCheck"]),
        .executable(name: "check-tokens", targets: ["check-tokens"]),
    ],
    dependencies: [.package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0")],
    targets: [
        .target(name: "TokenCheck", dependencies: [.product(name: "Crypto", package: "swift-crypto")]),
        .executableTarget(name: "check-tokens", dependencies: ["TokenCheck"]),
    ],
    swiftLanguageModes: [.v6]
)
