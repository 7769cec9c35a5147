/// The limit of tests that wait for something that takes as long as the machine needs.
public enum Patience {
    /// Longer than the busiest machine takes, so that only a wait for what never comes reaches it.
    public static let seconds: Int64 = 120
}

/// Waits until a condition is true.
///
/// - Parameter what: what the test waits for. The failure names it.
public func eventually(
    _ what: String, isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(Patience.seconds)
    // Most waits are short. A long one looks less often, because each look takes time from what it waits for.
    var pause = 1
    while try await !condition() {
        guard ContinuousClock.now < end else {
            throw TestDatabaseError(description: "Within \(Patience.seconds) seconds there was no \(what).")
        }
        try await Task.sleep(for: .milliseconds(pause))
        pause = min(2 * pause, 50)
    }
}
