import GatehouseJSON

/// Where files with more details tell of which player. Only the places are kept, 24 bytes for each, and a line is read again when it is its
/// player's turn.
struct DetailIndex {
    private struct Place {
        let hash: Int
        let offset: Int64
        let length: Int32
        let file: Int32
    }

    private var streams: [ImportInput.Stream] = []
    private var places: [Place] = []
    private var isUsed: [Bool] = []

    /// How many players have details and are not among the players.
    var unused: Int { isUsed.count { !$0 } }

    mutating func add(_ stream: ImportInput.Stream) -> Int32 {
        streams.append(stream)
        return Int32(streams.count - 1)
    }

    mutating func add(_ players: [String], file: Int32, offset: Int64, length: Int) {
        for player in players {
            places.append(
                Place(hash: ExactText(player).hashValue, offset: offset, length: Int32(clamping: length), file: file))
        }
    }

    /// Makes it ready to be asked.
    mutating func close() {
        places.sort { ($0.hash, $0.file, $0.offset) < ($1.hash, $1.file, $1.offset) }
        isUsed = Array(repeating: false, count: places.count)
    }

    /// The lines that tell of a player, in the order of the files.
    mutating func details(of player: String, in source: any ImportSource) throws -> [SourceObject] {
        guard !places.isEmpty else { return [] }
        let hash = ExactText(player).hashValue
        var (index, end) = (0, places.count)
        while index < end {
            let middle = index + (end - index) / 2
            if places[middle].hash < hash { index = middle + 1 } else { end = middle }
        }
        var details: [SourceObject] = []
        while index < places.count, places[index].hash == hash {
            let place = places[index]
            let line = try streams[Int(place.file)].readAt?(place.offset, Int(place.length)) ?? []
            guard let value = try? StrictJSON.parse(line), let detail = try? SourceObject(value),
                let players = try? source.players(of: detail)
            else { throw ConversionFailure(.changedFile, "a file with more details was changed while it was read") }
            // Two ids may have the same hash.
            if players.contains(where: player.isExactly) {
                details.append(detail)
                isUsed[index] = true
            }
            index += 1
        }
        return details
    }
}
