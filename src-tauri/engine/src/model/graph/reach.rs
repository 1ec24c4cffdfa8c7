//! "Does this lead to that?" for many pairs at once. It must not know why it is asked.

use super::{Components, Graph, Node};

/// Sources that are followed together, one bit each.
const WORDS: usize = 8;
const BATCH: usize = WORDS * 64;
type Mask = [u64; WORDS];

/// For each pair (from, to), whether a path of at least one edge leads from the one to the other.
///
/// All sources of a batch walk down the graph together, so the work is (nodes + edges) for every 512 distinct
/// sources: a plan in which 10,000 tasks each ask about a far ancestor takes 20 walks.
pub fn reaches(graph: &Graph, components: &Components, pairs: &[(Node, Node)]) -> Vec<bool> {
    let mut answers = vec![false; pairs.len()];
    if pairs.is_empty() {
        return answers;
    }
    let mut by_source: Vec<u32> = (0..pairs.len() as u32).collect();
    by_source.sort_by_key(|ix| {
        let source = pairs[*ix as usize].0;
        (components.of(source), source)
    });
    let down = nodes_downwards(graph, components);
    let mut rest = by_source.as_slice();
    while !rest.is_empty() {
        let size = batch_len(pairs, rest);
        let (batch, later) = rest.split_at(size);
        follow(graph, components, &down, pairs, batch, &mut answers);
        rest = later;
    }
    answers
}

fn nodes_downwards(graph: &Graph, components: &Components) -> Vec<Node> {
    let mut nodes: Vec<Node> = graph.nodes().collect();
    nodes.sort_by_key(|node| components.of(*node));
    nodes
}

/// How many of the sorted pairs share the next 512 distinct sources.
fn batch_len(pairs: &[(Node, Node)], sorted: &[u32]) -> usize {
    let mut distinct = 0;
    let mut last = None;
    for (len, ix) in sorted.iter().enumerate() {
        let source = pairs[*ix as usize].0;
        if last != Some(source) {
            if distinct == BATCH {
                return len;
            }
            distinct += 1;
            last = Some(source);
        }
    }
    sorted.len()
}

fn follow(
    graph: &Graph,
    components: &Components,
    down: &[Node],
    pairs: &[(Node, Node)],
    batch: &[u32],
    answers: &mut [bool],
) {
    let component = |node: Node| components.of(node) as usize;
    let mut masks: Vec<Mask> = vec![[0; WORDS]; components.len()];
    let mut bits: Vec<(u32, usize)> = Vec::with_capacity(batch.len());
    let (mut bit, mut last, mut first, mut end) = (0, None, usize::MAX, 0);
    for &ix in batch {
        let (source, target) = pairs[ix as usize];
        if last.is_some_and(|last| last != source) {
            bit += 1;
        }
        last = Some(source);
        masks[component(source)][bit / 64] |= 1 << (bit % 64);
        bits.push((ix, bit));
        first = first.min(component(source));
        end = end.max(component(target));
    }
    let start = down.partition_point(|node| component(*node) < first);
    for &node in down[start..].iter().take_while(|node| component(**node) <= end) {
        let mask = masks[component(node)];
        if mask != [0; WORDS] {
            for &child in graph.children(node) {
                join(&mut masks[component(child)], &mask);
            }
        }
    }
    for (ix, bit) in bits {
        let (source, target) = pairs[ix as usize];
        answers[ix as usize] = if component(source) == component(target) {
            components.is_in_loop(source)
        } else {
            masks[component(target)][bit / 64] >> (bit % 64) & 1 == 1
        };
    }
}

fn join(into: &mut Mask, mask: &Mask) {
    for (into, word) in into.iter_mut().zip(mask) {
        *into |= word;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn agrees_with_a_search_from_each_source(
            (nodes, edges) in (1u32..40).prop_flat_map(|n| (Just(n), prop::collection::vec((0..n, 0..n), 0..80)))
        ) {
            let edges: Vec<(Node, Node)> = edges.into_iter().filter(|(from, to)| from != to).collect();
            let graph = Graph::new(nodes as usize, &edges);
            let components = Components::new(&graph);
            let pairs: Vec<(Node, Node)> = (0..nodes).flat_map(|a| (0..nodes).map(move |b| (a, b))).collect();
            let answers = reaches(&graph, &components, &pairs);
            for (pair, answer) in pairs.iter().zip(answers) {
                prop_assert_eq!(answer, graph.path(pair.0, pair.1).is_some(), "{:?}", pair);
            }
        }
    }

    #[test]
    fn more_sources_than_one_batch() {
        let n: Node = 3_000;
        let edges: Vec<(Node, Node)> = (0..n - 1).map(|ix| (ix, ix + 1)).collect();
        let graph = Graph::new(n as usize, &edges);
        let pairs: Vec<(Node, Node)> = (0..n).flat_map(|ix| [(ix, n - 1), (ix, 0)]).collect();
        let answers = reaches(&graph, &Components::new(&graph), &pairs);
        for (ix, answer) in answers.iter().enumerate() {
            assert_eq!(
                *answer,
                ix % 2 == 0 && ix / 2 != n as usize - 1,
                "{:?}",
                pairs[ix]
            );
        }
    }
}
