import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import Logging

extension Logger {
    /// The log of a command other than a server: JSON lines on the standard error stream.
    static var command: Logger {
        Logger(label: "gatehouse") { JSONLogHandler(label: $0, level: .info, now: ServerEnvironment.live.now) }
    }
}
