/// Where the instructions of a call go. The functions of a part are those that begin it, with all that they call.
struct InstructionParts: CustomStringConvertible {
    /// What a call without work takes: reading and answering HTTP.
    let http: Int
    /// Verifying the device's signature under the call.
    let proof: Int
    /// Signing the access token.
    let token: Int
    /// SQLite's or PostgreSQL's library.
    let statements: Int
    /// The rest of what happens on the engine's threads: rules, texts of statements, the stored outcome, decoding of rows.
    let decision: Int
    /// Everything else: the router, limits, JSON, hashes, waiting.
    let rest: Int
    /// The console's numbers, which are in the parts above, too.
    let counting: Int

    init(_ profile: CallgrindProfile, calls: Int, http: Int) {
        func each(_ isWanted: (String) -> Bool) -> Int { profile.inclusive(isWanted) / max(1, calls) }
        self.http = http
        proof = each { $0.contains("13ProofVerifierV6verify") }
        token = each { $0.contains("10CompactJWSV4sign") }
        statements = each { $0.hasPrefix("sqlite3") || $0.hasPrefix("PQ") }
        decision = each { $0.contains("13EngineThreadsC5start") } - statements
        rest = profile.total / max(1, calls) - http - proof - token - statements - decision
        counting = each { $0.contains("13GatehouseCore5TallyC") }
    }

    var description: String {
        """
        http \(http), proof \(proof), token \(token), statements \(statements), decision \(decision), rest \(rest); \
        the console's numbers \(counting)
        """
    }
}
