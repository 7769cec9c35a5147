import ArgumentParser
import Foundation
import Gamebase
import Gatehouse
import LoadGenerator

/// Measures the additional cost of Gamebase's API over the SDK's: the same call by both, alternately, with one server.
@main
struct GamebaseBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gamebase-bench",
        abstract: "Measure what a call costs more by Gamebase's API than by the SDK, from call to completion.")

    @Option(help: "The server's executable.") var server: String
    @Option(help: "Where the measurement is written.") var output = "Benchmarks/results/gamebase.json"
    @Option(help: "How many calls of each.") var calls = 4_000

    @MainActor func run() async throws {
        guard let place = try Place("sqlite") else { return }
        defer { place.remove() }
        let executable = URL(fileURLWithPath: server).path
        let app = try TestApp(executable: executable, place: place, ports: [18_765])
        let provider = try IdentityProvider()
        defer { provider.stop() }
        try app.configure(provider, executable: executable, place: place)
        let process = try ServerProcess(
            executable, folder: place.folder, port: 18_765, arguments: TestApp.settings(of: place))
        defer { process.stop() }
        guard let address = URL(string: "http://127.0.0.1:18765") else { return }

        let gatehouse = GatehouseClient(
            .init(appID: TestApp.id, serverURL: address, storage: FileStorage(path: "\(place.folder)/sdk")))
        try await gatehouse.start()
        try await gatehouse.logIn(with: .guest)
        _ = try await gatehouse.issueTransferAccount()

        let folder = place.folder
        let configuration = TCGBConfiguration.configuration(appID: TestApp.id.rawValue, appVersion: "1.0")
        configuration.serverAddress = address
        configuration.configure { $0.storage = FileStorage(path: "\(folder)/gamebase") }
        try await completed { TCGBGamebase.initialize(configuration: configuration, completion: $0) }
        try await completed { TCGBGamebase.login(type: kTCGBAuthGuest, viewController: nil, completion: $0) }
        try await completed { TCGBGamebase.issueTransferAccount(completion: $0) }

        var sdk: [Double] = []
        var layer: [Double] = []
        let clock = ContinuousClock()
        for call in 0..<2 * calls {
            // One after the other, each as often the first.
            if call % 4 == 0 || call % 4 == 3 {
                sdk.append(microseconds(try await clock.measure { _ = try await gatehouse.queryTransferAccount() }))
                continue
            }
            let begin = clock.now
            var end = begin
            try await completed { (done: @escaping (TCGBTransferAccountInfo?, TCGBError?) -> Void) in
                TCGBGamebase.queryTransferAccount { info, error in
                    end = clock.now
                    done(info, error)
                }
            }
            layer.append(microseconds(begin.duration(to: end)))
        }
        try report(sdk, layer)
    }

    /// Waits for a completion.
    @MainActor private func completed<Value>(
        _ call: (@escaping (Value?, TCGBError?) -> Void) -> Void
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            call { _, error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    private func microseconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) * 1e6 + Double(duration.components.attoseconds) / 1e12
    }

    private struct Figures: Encodable {
        var name = "gamebase_layer"
        var calls: Int
        var sdkMicroseconds: Double
        var gamebaseMicroseconds: Double
        var addedMicroseconds: Double
    }

    private func report(_ sdk: [Double], _ layer: [Double]) throws {
        func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        let figures = Figures(
            calls: sdk.count, sdkMicroseconds: median(sdk), gamebaseMicroseconds: median(layer),
            addedMicroseconds: median(layer) - median(sdk))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try FileManager.default.createDirectory(
            atPath: (output as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try encoder.encode(figures).write(to: URL(fileURLWithPath: output))
        say(
            String(
                format: "gamebase_layer: %.0f us by the SDK, %.0f us by Gamebase's API: %.1f us more (medians of %d)",
                figures.sdkMicroseconds, figures.gamebaseMicroseconds, figures.addedMicroseconds, figures.calls))
    }
}
