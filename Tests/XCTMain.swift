import Testing

/// Begins the tests. Where this file is missing, SwiftPM writes one and looks for XCTest's tests in the index for editors, which
/// scripts/swift leaves out.
@main struct TestRun {
    static func main() async {
        // `swift test` runs the program for XCTest first, and there are no tests of XCTest.
        guard CommandLine.arguments.contains("swift-testing") else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
