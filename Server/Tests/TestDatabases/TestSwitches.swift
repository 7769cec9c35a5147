import Foundation

/// Environment variables of the tests (CONTRIBUTING.md).
public enum TestSwitches {
    private static let environment = ProcessInfo.processInfo.environment

    /// Whether a test's database stays after the test, and standard error says where it is.
    static let keepsDatabases = environment["GATEHOUSE_KEEP_DATABASES"] == "1"

    /// The level from which servers of this process write their log to standard error, such as `debug`. Nil where none is asked
    /// for: what tests provoke would fill it.
    public static let logLevel = environment["GATEHOUSE_TEST_LOG_LEVEL"]

    /// Whether tests of doors run on all engines, and not only on one.
    static let runsDoorsOnAllEngines = environment["GATEHOUSE_TEST_ENGINES"] == "all"

    static func say(_ line: String) { FileHandle.standardError.write(Data("TestDatabases: \(line)\n".utf8)) }
}
