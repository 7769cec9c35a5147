import Foundation
import GatehouseWire

/// axe-core, which finds what assistive technology can't use.
enum Axe {
    /// Its file, which `make test-browser` fetches.
    static let script = ProcessInfo.processInfo.environment["GATEHOUSE_AXE"].flatMap {
        try? String(contentsOfFile: $0, encoding: .utf8)
    }

    /// Whether tests fail without it.
    static let isRequired = script != nil || ProcessInfo.processInfo.environment["CI"] != nil
}

extension WebDriver {
    /// What axe calls serious or critical on the page; nothing where axe is missing, which a test of its own says.
    ///
    /// - Parameter onlyColors: whether nothing but the contrast is tried.
    func axe(onlyColors: Bool = false) async throws -> [String] {
        guard let axe = Axe.script else { return [] }
        if try await script("return typeof axe") != .string("object") { try await script(axe) }
        let rules = onlyColors ? "runOnly: ['color-contrast']," : ""
        return Self.strings(
            try await asynchronous(
                """
                const done = arguments[arguments.length - 1];
                axe.run({\(rules) resultTypes: ['violations']}).then(
                  r => done(r.violations.filter(v => ['serious', 'critical'].includes(v.impact))
                    .map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html).join(' | '))), e => done([String(e)]));
                """))
    }
}
