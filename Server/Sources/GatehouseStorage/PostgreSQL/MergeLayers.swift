/// The order in which the statements of several transactions are sent as one transaction.
enum MergeLayers {
    /// Groups the statements so that those of a group can be merged: they have the same text and concern different rows. The statements
    /// of each transaction stay in order, and so do those about the same rows.
    static func groups(of transactions: [[Statement]]) -> [[Statement]] {
        var groups: [[Statement]] = []
        var rest = transactions.map { $0[...] }
        while let next = rest.lazy.compactMap(\.first).first {
            var alike: [Statement] = []
            for index in rest.indices {
                guard let first = rest[index].first, first.text == next.text, first.mustChange == next.mustChange
                else { continue }
                alike.append(first)
                rest[index].removeFirst()
            }
            groups += layers(of: alike)
        }
        return groups
    }

    /// Divides statements with the same text into layers without two statements about the same rows. Each layer is sorted, so that two
    /// batches lock the same rows in the same order and don't deadlock.
    private static func layers(of statements: [Statement]) -> [[Statement]] {
        guard statements.count > 1 else { return [statements] }
        // Those about the same rows are then neighbours, in the order in which they came.
        let sorted = statements.enumerated().sorted { one, other in
            order(of: one.element, other.element) ?? (one.offset < other.offset)
        }
        var layers: [[Statement]] = [[]]
        var depth = 0
        for (index, (_, statement)) in sorted.enumerated() {
            let isRepeated = index > 0 && order(of: sorted[index - 1].element, statement) == nil
            depth = isRepeated ? depth + 1 : 0
            if depth == layers.count { layers.append([]) }
            layers[depth].append(statement)
        }
        return layers
    }

    /// Whether a statement's rows come before those of another with the same text; nil if the rows are the same.
    private static func order(of one: Statement, _ other: Statement) -> Bool? {
        for index in one.key where one.values[index] != other.values[index] {
            return one.values[index] < other.values[index]
        }
        return nil
    }
}
