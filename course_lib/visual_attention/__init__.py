"""Attention to parts of a picture."""

from course_lib.visual_attention.annotations import AnnotationEncoder
from course_lib.visual_attention.captioner import ATTENTIONS, Captioner, caption_decoder, scene_captioner
from course_lib.visual_attention.classifier import PartClassifier, keep_places
from course_lib.visual_attention.hard import HardAttentionDecoder, MovingBaseline, hard_attention_loss
from course_lib.visual_attention.show_and_tell import ShowAndTellDecoder
from course_lib.visual_attention.soft import SoftAttentionDecoder, doubly_stochastic_penalty
from course_lib.visual_attention.steps import CaptionRun, CaptionState, CaptionStep

__all__ = [
    "ATTENTIONS",
    "AnnotationEncoder",
    "CaptionRun",
    "CaptionState",
    "CaptionStep",
    "Captioner",
    "HardAttentionDecoder",
    "MovingBaseline",
    "PartClassifier",
    "ShowAndTellDecoder",
    "SoftAttentionDecoder",
    "caption_decoder",
    "doubly_stochastic_penalty",
    "hard_attention_loss",
    "keep_places",
    "scene_captioner",
]
