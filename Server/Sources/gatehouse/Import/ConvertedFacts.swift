import ArgumentParser
import GatehouseImport
import GatehousePlatform
import GatehouseSecurity

/// What the operator knows of the files, for the first line of the neutral file.
struct ConvertedFacts: ParsableArguments {
    @Option(help: "Your name for the old system, such as firebase-main. Default: the kind") var source: String?
    @Option(help: "When the files were made, such as 2026-12-01T03:00:00+09:00.") var taken: String?
    @Option(
        help:
            "A fact about where the players come from, as NAME=VALUE, such as project=my-game. May be given several times."
    )
    var from: [String] = []

    var takenDate: Int64? { get throws { try taken.map(Words.date)?.milliseconds } }

    func header(_ kind: ImportKind, _ options: ConversionOptions) throws -> NeutralHeader {
        var facts: [(name: String, value: String)] = []
        for pair in from {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, !facts.contains(where: { $0.name == parts[0] }) else {
                throw ValidationError("\(pair) is not NAME=VALUE, or its name stands twice.")
            }
            facts.append((parts[0], parts[1]))
        }
        let header = NeutralHeader(
            source: source ?? kind.rawValue, sourceKind: kind.rawValue, takenDate: options.takenDate, from: facts)
        do {
            try header.check()
        } catch {
            throw ValidationError("\(error.path): \(error.message).")
        }
        return header
    }
}
